internal import IdentityHTTP
public import IdentityKit

/// Makes ``OpenIDProvider`` from configuration entries of kind `openid`.
public struct OpenIDProviderFactory: ProviderFactory {
    /// `openid`.
    public let kind = "openid"

    /// Creates the factory.
    public init() {}

    /// Reads `issuer`, `clientID`, `clientSecret`, `clientAuthentication`, `redirectURI`, `scopes`, `algorithms` and what
    /// every entry may hold.
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
        let secret = try section.optionalSecret("clientSecret")
        switch (try section.optionalString("clientAuthentication"), secret) {
        case (nil, nil), ("none", nil): configuration.authentication = .none
        case (nil, let secret?), ("client_secret_basic", let secret?):
            configuration.authentication = .secretBasic(secret)
        case ("client_secret_basic_verbatim", let secret?):
            configuration.authentication = .secretBasic(secret, encoding: .verbatimForNonconformingProvider)
        case ("client_secret_post", let secret?): configuration.authentication = .secretPost(secret)
        case ("client_secret_basic", nil), ("client_secret_basic_verbatim", nil), ("client_secret_post", nil):
            throw section.error("clientSecret", "is missing")
        default:
            throw section.error(
                "clientAuthentication",
                "is not known or does not fit",
                hint: "Use none, client_secret_basic, client_secret_basic_verbatim or client_secret_post."
            )
        }
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
