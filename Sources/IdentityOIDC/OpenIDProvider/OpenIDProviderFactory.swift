internal import IdentityHTTP
public import IdentityKit

/// Makes ``OpenIDProvider`` from configuration entries of kind `openid`.
public struct OpenIDProviderFactory: ProviderFactory {
    /// `openid`.
    public let kind = "openid"

    /// Creates the factory.
    public init() {}

    /// Reads the members that `Documentation/Operating/Configuration.md` lists.
    public func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        var configuration = OpenIDProvider.Configuration(
            name: name,
            issuer: try section.string("issuer"),
            clientID: try section.string("clientID")
        )
        let common = try CommonProviderMembers(&section)
        configuration.allowsLoopbackHTTP = common.allowsLoopbackHTTP
        configuration.timeout = common.timeout
        configuration.acceptedIssuers = common.issuers
        configuration.redirectURI = try section.string("redirectURI")
        configuration.scopes = try section.optionalStrings("scopes") ?? ["openid"]
        configuration.algorithms = try section.optionalStrings("algorithms")
        configuration.tenant = common.tenant
        configuration.loginDefaults = common.loginDefaults
        if let mode = try section.optionalString("responseMode") {
            guard let known = ResponseMode(rawValue: mode) else {
                throw section.error("responseMode", "is not known", hint: "Use query or form_post.")
            }
            configuration.responseMode = known
        }
        configuration.pushesAuthorizationRequest = try section.bool("pushedAuthorization", default: false)
        configuration.usesDPoP = try section.bool("dpop", default: false)
        configuration.acceptsUnboundTokens = try section.bool("acceptsUnboundTokens", default: false)
        configuration.authentication = try ClientAuthentication(&section)
        if var endpoints = try section.optionalSection("endpoints") {
            func url(_ name: String, _ set: (HTTPURL) -> Void) throws {
                if let url = try endpoints.optionalURL(name, allowsLoopbackHTTP: common.allowsLoopbackHTTP) { set(url) }
            }
            try url("discovery") { configuration.endpoints.discovery = $0 }
            try url("authorization") { configuration.endpoints.authorization = $0 }
            try url("token") { configuration.endpoints.token = $0 }
            try url("jwks") { configuration.endpoints.jwks = $0 }
            try url("logout") { configuration.endpoints.logout = $0 }
            try url("api") { configuration.endpoints.userInfo = $0 }
            try url("pushedAuthorization") { configuration.endpoints.pushedAuthorization = $0 }
            try url("revocation") { configuration.endpoints.revocation = $0 }
            try url("deviceAuthorization") { configuration.endpoints.deviceAuthorization = $0 }
            try endpoints.finish()
        }
        return try OpenIDProvider(configuration, environment: environment)
    }
}
