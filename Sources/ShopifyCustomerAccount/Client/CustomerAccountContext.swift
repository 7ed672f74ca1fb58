internal import IdentityKit

/// In which language and for which country answers are (`@inContext`).
public struct CustomerAccountContext: Sendable, Equatable {
    /// The country, ISO 3166-1 alpha-2 in capitals; the shop's own unless given.
    public var country: String?
    /// The language, for example `EN` or `PT_BR`; the shop's own unless given.
    public var language: String?

    /// Describes a context.
    public init(country: String? = nil, language: String? = nil) {
        self.country = country
        self.language = language
    }

    var variables: JSONObject {
        var variables = JSONObject()
        if let country { variables["country"] = .string(country) }
        if let language { variables["language"] = .string(language) }
        return variables
    }
}
