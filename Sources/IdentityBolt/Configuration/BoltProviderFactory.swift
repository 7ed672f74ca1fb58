internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

extension BoltProvider.Configuration: ProviderConfiguration {}

/// Creates ``BoltProvider`` from configuration entries of kind `bolt`.
public struct BoltProviderFactory: ProviderFactory {
    /// The kind of the configuration entries: `bolt`.
    public let kind = "bolt"

    private static let memberNames =
        CommonProviderMembers.names + [
            "environment", "publishableKey", "apiKey", "usePkce", "clientIDForm", "redirectURI", "scopes",
            "scopeSeparator", "sendsNonce", "stateLength",
        ]

    /// Creates the factory.
    public init() {}

    /// Creates a provider from the members that `Documentation/Operating/Configuration.md` and `Documentation/Using/Bolt.md` list.
    public func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        try section.check(members: Self.memberNames)
        var endpoints = BoltProvider.Endpoints()
        let common = try CommonProviderMembers(
            &section,
            &endpoints,
            [
                "discovery": \.discovery, "authorization": \.authorization, "token": \.token, "jwks": \.jwks,
                "api": \.api,
            ]
        )
        var configuration = BoltProvider.Configuration(
            name: name,
            environment: try Self.environment(&section, endpoints),
            publishableKey: try section.string("publishableKey"),
            authentication: try Self.authentication(&section)
        )
        configuration.endpoints = endpoints
        common.apply(to: &configuration)
        configuration.redirectURI = try section.optionalString("redirectURI")
        configuration.scopes = try section.optionalStrings("scopes") ?? configuration.scopes
        configuration.sendsNonce = try section.bool("sendsNonce", default: false)
        configuration.stateLength = try section.optionalInteger("stateLength", in: 8...86)
        configuration.clientIDForm = try section.optionalChoice("clientIDForm") ?? configuration.clientIDForm
        configuration.scopeSeparator = try section.optionalChoice("scopeSeparator") ?? configuration.scopeSeparator
        return try BoltProvider(configuration, environment: environment)
    }

    private static func authentication(
        _ section: inout ConfigurationSection
    ) throws(IdentityError) -> BoltClientAuthentication {
        let apiKey = try section.optionalSecret("apiKey")
        switch (try section.bool("usePkce", default: false), apiKey) {
        case (false, let apiKey?): return .confidential(apiKey: apiKey)
        case (true, let apiKey?): return .confidentialPKCE(apiKey: apiKey)
        case (true, nil): return .publicPKCE
        case (false, nil):
            throw section.error(
                "apiKey",
                "is missing",
                hint: "Set apiKey, or \"usePkce\": true for a client without API key."
            )
        }
    }

    private static func environment(
        _ section: inout ConfigurationSection,
        _ endpoints: BoltProvider.Endpoints
    ) throws(IdentityError) -> BoltEnvironment {
        if let environment = try BoltEnvironment(configured: &section) { return environment }
        if let api = endpoints.api { return .custom(apiBase: api.text) }
        if let other = endpoints.discovery ?? endpoints.token { return .custom(apiBase: other.origin) }
        return .production
    }
}
