public import IdentityHTTP
public import IdentityKit

/// The members that every provider's entry in the configuration file may have, for use in a `ProviderFactory`.
///
/// ```swift
/// try section.check(members: CommonProviderMembers.names + ["clientID"])
/// let common = try CommonProviderMembers(&section, &configuration.endpoints, ["discovery": \.discovery, "token": \.token])
/// configuration.timeout = common.timeout
/// ```
public struct CommonProviderMembers: Sendable {
    /// `allowsLoopbackHTTP`: permits plain http to loopback addresses such as 127.0.0.1 and [::1]; by default false.
    public let allowsLoopbackHTTP: Bool
    /// `timeout`: how long one request may take; by default 8 seconds.
    public let timeout: Duration
    /// `issuers`: the issuers to accept instead of the provider's default issuer; nil if the entry does not have this member.
    public let issuers: [String]?
    /// `displayName`: the provider's name on the app's login button; nil if the entry does not have this member.
    public let displayName: String?
    /// `tenant`: the tenant of the app that this client serves; by default empty.
    public let tenant: String
    /// `prompt`, `maxAge`, `acrValues`, `uiLocales`, `loginHint` and `authorizationParameters`: the default options of
    /// every login.
    public let loginDefaults: LoginDefaults

    /// The names of these members, for `ConfigurationSection.check(members:)`.
    public static let names = [
        "kind", "displayName", "timeout", "issuers", "endpoints", "tenant", "allowsLoopbackHTTP", "prompt", "maxAge",
        "acrValues", "uiLocales", "loginHint", "authorizationParameters",
    ]

    /// Reads the members.
    ///
    /// - Parameters:
    ///   - section: The provider's entry.
    ///   - endpoints: Receives the configured URLs; the URLs of endpoints that are not configured stay unchanged.
    ///   - names: The members that the entry's object `endpoints` may have, each with the property that receives its URL.
    ///   - hints: Members that the entry's object `endpoints` must not have, with a hint for each.
    /// - Throws: `IdentityError` that names the missing or invalid member.
    public init<Endpoints>(
        _ section: inout ConfigurationSection,
        _ endpoints: inout Endpoints,
        _ names: KeyValuePairs<String, WritableKeyPath<Endpoints, HTTPURL?>>,
        hints: [String: String] = [:]
    ) throws(IdentityError) {
        allowsLoopbackHTTP = try section.bool("allowsLoopbackHTTP", default: false)
        timeout = try section.optionalSeconds("timeout") ?? ProviderDescriptor.defaultTimeout
        issuers = try section.optionalStrings("issuers")
        displayName = try section.optionalString("displayName")
        tenant = try section.optionalString("tenant") ?? ""
        loginDefaults = try LoginDefaults(&section)
        if var members = try section.optionalSection("endpoints") {
            for name in members.memberNames {
                if let hint = hints[name] {
                    throw members.error(name, "is not used by this kind of provider", hint: hint)
                }
            }
            for (name, path) in names {
                guard let url = try members.optionalURL(name, allowsLoopbackHTTP: allowsLoopbackHTTP) else { continue }
                endpoints[keyPath: path] = url
            }
            try members.finish()
        }
    }

    package func apply(to configuration: inout some ProviderConfiguration) {
        configuration.allowsLoopbackHTTP = allowsLoopbackHTTP
        configuration.timeout = timeout
        configuration.issuers = issuers
        configuration.displayName = displayName ?? configuration.displayName
        configuration.tenant = tenant
        configuration.loginDefaults = loginDefaults
    }
}

/// The members that the configurations of the Shopify, Bolt and SFCC providers have in common.
package protocol ProviderConfiguration {
    var name: String { get }
    var redirectURI: String? { get }
    var scopes: [String] { get }
    var allowsLoopbackHTTP: Bool { get set }
    var timeout: Duration { get set }
    var issuers: [String]? { get set }
    var displayName: String { get set }
    var tenant: String { get set }
    var loginDefaults: LoginDefaults { get set }
}

extension OpenIDClient.Configuration {
    /// Creates the client's configuration with the common members of a provider's configuration, except `issuers`.
    package init(_ provider: some ProviderConfiguration, kind: String, issuer: String, clientID: String) {
        self.init(name: provider.name, issuer: issuer, clientID: clientID)
        self.kind = kind
        redirectURI = provider.redirectURI
        scopes = provider.scopes
        timeout = provider.timeout
        allowsLoopbackHTTP = provider.allowsLoopbackHTTP
        loginDefaults = provider.loginDefaults
        displayName = provider.displayName
        tenant = provider.tenant
    }
}

extension LoginDefaults {
    init(_ section: inout ConfigurationSection) throws(IdentityError) {
        self.init()
        prompt = try section.optionalString("prompt")
        maximumAge = try section.optionalInteger("maxAge", in: 0...31_536_000).map { .seconds($0) }
        authenticationContexts = try section.optionalStrings("acrValues") ?? []
        locale = try section.optionalStrings("uiLocales")?.joined(separator: " ")
        loginHint = try section.optionalString("loginHint")
        try section.refuse("prompt", prompt.flatMap { AuthorizationParameter.problem(prompt: $0) })
        try section.refuse("uiLocales", locale.flatMap { AuthorizationParameter.problem(locales: $0) })
        try section.refuse("acrValues", AuthorizationParameter.problem(contexts: authenticationContexts))
        guard var members = try section.optionalSection("authorizationParameters") else { return }
        for name in members.memberNames {
            let value = try members.string(name)
            try members.refuse(name, AuthorizationParameter.problem(name: name, value: value))
            additionalParameters.append((name, value))
        }
    }
}

extension ConfigurationSection {
    fileprivate func refuse(_ name: String, _ problem: AuthorizationParameter.Problem?) throws(IdentityError) {
        if let problem { throw error(name, problem.text, hint: problem.hint) }
    }
}
