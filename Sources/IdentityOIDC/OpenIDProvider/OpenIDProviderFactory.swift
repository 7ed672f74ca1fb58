public import IdentityKit

/// Creates ``OpenIDProvider`` from configuration entries of kind `openid`.
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
        try OpenIDProvider(OpenIDClient.Configuration(named: name, from: &section), environment: environment)
    }
}

extension OpenIDClient.Configuration {
    private static let endpointNames = [
        "discovery", "authorization", "token", "jwks", "logout", "userInfo", "pushedAuthorization", "revocation",
        "deviceAuthorization",
    ]

    /// Reads an entry of the configuration file as kind `openid` has it, for factories of providers.
    ///
    /// - Throws: `IdentityError` that names the member.
    public init(named name: String, from section: inout ConfigurationSection) throws {
        self.init(name: name, issuer: try section.string("issuer"), clientID: try section.string("clientID"))
        let common = try CommonProviderMembers(
            &section,
            endpoints: Self.endpointNames,
            hints: ["api": "Use userInfo for the UserInfo endpoint."]
        )
        allowsLoopbackHTTP = common.allowsLoopbackHTTP
        timeout = common.timeout
        acceptedIssuers = common.issuers.map { .exactly($0) }
        tenant = common.tenant
        loginDefaults = common.loginDefaults
        redirectURI = try section.string("redirectURI")
        scopes = try section.optionalStrings("scopes") ?? ["openid"]
        algorithms = try section.optionalStrings("algorithms")
        trustedAudiences = try section.optionalStrings("trustedAudiences") ?? []
        if let mode = try section.optionalString("responseMode") {
            guard let known = ResponseMode(rawValue: mode) else {
                throw section.error("responseMode", "is not known", hint: "Use query or form_post.")
            }
            responseMode = known
        }
        pushesAuthorizationRequest = try section.bool("pushedAuthorization", default: false)
        usesPKCEForDeviceLogin = try section.bool("devicePKCE", default: false)
        usesDPoP = try section.bool("dpop", default: false)
        acceptsUnboundTokens = try section.bool("acceptsUnboundTokens", default: false)
        authentication = try ClientAuthentication(&section)
        endpoints.discovery = common.endpoints["discovery"]
        endpoints.authorization = common.endpoints["authorization"]
        endpoints.token = common.endpoints["token"]
        endpoints.jwks = common.endpoints["jwks"]
        endpoints.logout = common.endpoints["logout"]
        endpoints.userInfo = common.endpoints["userInfo"]
        endpoints.pushedAuthorization = common.endpoints["pushedAuthorization"]
        endpoints.revocation = common.endpoints["revocation"]
        endpoints.deviceAuthorization = common.endpoints["deviceAuthorization"]
    }
}
