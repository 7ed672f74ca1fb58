internal import IdentityKit

/// The language and country of responses (`@inContext`).
public struct CustomerAccountContext: Sendable, Equatable {
    /// The country, ISO 3166-1 alpha-2 in capitals; nil uses the shop's country.
    public var country: String?
    /// The language, for example `EN` or `PT_BR`; nil uses the shop's language.
    public var language: String?

    /// Creates a context.
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
