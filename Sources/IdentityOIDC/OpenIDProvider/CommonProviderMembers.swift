public import IdentityHTTP
public import IdentityKit

/// The members that the entry of every provider in the configuration file may have; for factories of providers.
///
/// ```swift
/// try section.check(members: CommonProviderMembers.names + ["clientID"])
/// let common = try CommonProviderMembers(&section, endpoints: ["discovery", "token"])
/// configuration.timeout = common.timeout
/// configuration.endpoints.token = common.endpoints["token"]
/// ```
public struct CommonProviderMembers: Sendable {
    /// `allowsLoopbackHTTP`: permits plain http to 127.0.0.1 and [::1]; by default false.
    public let allowsLoopbackHTTP: Bool
    /// `timeout`: how long one request may take; by default 8 seconds.
    public let timeout: Duration
    /// `issuers`: the issuers to accept instead of the provider's own.
    public let issuers: [String]?
    /// `tenant`: the tenant of the app that this client serves; by default empty.
    public let tenant: String
    /// `prompt`, `maxAge`, `acrValues`, `uiLocales`, `loginHint` and `authorizationParameters`: what every login requests.
    public let loginDefaults: LoginDefaults
    /// `endpoints`: the configured URLs by their names.
    public let endpoints: [String: HTTPURL]

    /// The names of these members, for `ConfigurationSection.check(members:)`.
    public static let names = [
        "kind", "timeout", "issuers", "endpoints", "tenant", "allowsLoopbackHTTP", "prompt", "maxAge", "acrValues",
        "uiLocales", "loginHint", "authorizationParameters",
    ]

    /// Reads the members.
    ///
    /// - Parameters:
    ///   - section: The provider's entry.
    ///   - names: The members that `endpoints` may have.
    ///   - hints: Members that `endpoints` must not have, with a hint for each.
    /// - Throws: `IdentityError` that names the member.
    public init(
        _ section: inout ConfigurationSection,
        endpoints names: [String],
        hints: [String: String] = [:]
    ) throws(IdentityError) {
        allowsLoopbackHTTP = try section.bool("allowsLoopbackHTTP", default: false)
        timeout = try section.optionalSeconds("timeout") ?? .seconds(8)
        issuers = try section.optionalStrings("issuers")
        tenant = try section.optionalString("tenant") ?? ""
        loginDefaults = try LoginDefaults(&section)
        var endpoints: [String: HTTPURL] = [:]
        if var members = try section.optionalSection("endpoints") {
            for name in members.memberNames {
                if let hint = hints[name] {
                    throw members.error(name, "is not used by this kind of provider", hint: hint)
                }
            }
            for name in names {
                endpoints[name] = try members.optionalURL(name, allowsLoopbackHTTP: allowsLoopbackHTTP)
            }
            try members.finish()
        }
        self.endpoints = endpoints
    }
}
