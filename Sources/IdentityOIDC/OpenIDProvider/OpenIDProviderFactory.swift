public import IdentityKit

/// Creates ``OpenIDProvider`` from configuration entries of kind `openid`.
public struct OpenIDProviderFactory: ProviderFactory {
    /// The kind of the configuration entries: `openid`.
    public let kind = "openid"

    /// Creates the factory.
    public init() {}

    /// Creates a provider from the members that `Documentation/Operating/Configuration.md` lists.
    public func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        try section.check(members: OpenIDClient.Configuration.memberNames)
        return try OpenIDProvider(OpenIDClient.Configuration(named: name, from: &section), environment: environment)
    }
}

extension OpenIDClient.Configuration {
    /// The names of the members that ``init(named:from:)`` reads, for `ConfigurationSection.check(members:)`.
    public static let memberNames =
        CommonProviderMembers.names + [
            "issuer", "clientID", "clientSecret", "clientAuthentication", "clientKey", "clientKeyID",
            "clientKeyAlgorithm", "clientAssertionAudience", "redirectURI", "postLogoutRedirectURI", "resources",
            "scopes", "algorithms", "trustedAudiences", "responseMode", "pushedAuthorization", "devicePKCE", "dpop",
            "acceptsUnboundTokens", "preset", "server", "realm", "directory", "authority", "teamID", "domain",
            "authorizationServer",
        ]

    /// Reads an entry of the configuration file with the members of kind `openid`, for factories of providers.
    ///
    /// - Throws: `IdentityError` that names the missing or invalid member.
    public init(named name: String, from section: inout ConfigurationSection) throws {
        let clientID = try section.string("clientID")
        let preset = try PresetName(&section)
        if let preset {
            self = try preset.configuration(named: name, clientID: clientID, from: &section)
        } else {
            self.init(name: name, issuer: try section.string("issuer"), clientID: clientID)
        }
        let common = try CommonProviderMembers(
            &section,
            &endpoints,
            [
                "discovery": \.discovery, "authorization": \.authorization, "token": \.token, "jwks": \.jwks,
                "logout": \.logout, "userInfo": \.userInfo, "pushedAuthorization": \.pushedAuthorization,
                "revocation": \.revocation, "deviceAuthorization": \.deviceAuthorization,
            ],
            hints: ["api": "Remove endpoints.api. For the UserInfo endpoint, set endpoints.userInfo."]
        )
        allowsLoopbackHTTP = common.allowsLoopbackHTTP
        timeout = common.timeout
        if let issuers = common.issuers {
            // Metadata for several tenants name the template as their issuer, so the template is accepted in addition to `issuers`.
            acceptedIssuers = .exactly(issuers + [quirks?.settings.issuerTemplate?.text].compactMap(\.self))
        }
        displayName = common.displayName ?? displayName
        tenant = common.tenant
        loginDefaults = common.loginDefaults
        redirectURI = try section.string("redirectURI")
        postLogoutRedirectURI = try section.optionalString("postLogoutRedirectURI")
        resources = try section.optionalStrings("resources") ?? []
        scopes = try section.optionalStrings("scopes") ?? scopes
        algorithms = try section.optionalStrings("algorithms")
        trustedAudiences = try section.optionalStrings("trustedAudiences") ?? []
        responseMode = try section.optionalChoice("responseMode") ?? responseMode
        pushesAuthorizationRequest = try section.bool("pushedAuthorization", default: false)
        usesPKCEForDeviceLogin = try section.bool("devicePKCE", default: false)
        usesDPoP = try section.bool("dpop", default: false)
        acceptsUnboundTokens = try section.bool("acceptsUnboundTokens", default: false)
        if preset != .apple {
            authentication = try ClientAuthentication(&section, postsSecret: preset?.postsSecret ?? false)
        }
    }
}
