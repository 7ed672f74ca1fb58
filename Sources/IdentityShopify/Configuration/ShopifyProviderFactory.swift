internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

/// Makes ``ShopifyProvider`` from configuration entries of kind `shopify`.
public struct ShopifyProviderFactory: ProviderFactory {
    /// `shopify`.
    public let kind = "shopify"

    /// Creates the factory.
    public init() {}

    /// Reads `shopDomain`, `shopID`, `clientID`, `client`, `clientSecret`, `redirectURI`, `origin`, `scopes`, `apiVersion`,
    /// `endpoints`, `endpointHosts` and what every entry may hold.
    public func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        let common = try CommonProviderMembers(&section)
        let redirectURI = try section.optionalString("redirectURI")
        var configuration = ShopifyProvider.Configuration(
            name: name,
            shopDomain: try section.optionalString("shopDomain"),
            clientID: try section.string("clientID"),
            client: try Self.client(&section, redirectURI: redirectURI)
        )
        configuration.redirectURI = redirectURI
        configuration.shopID = try section.optionalString("shopID")
        if let scopes = try section.optionalStrings("scopes") { configuration.scopes = scopes }
        if let version = try section.optionalString("apiVersion") { configuration.apiVersion = version }
        configuration.allowsLoopbackHTTP = common.allowsLoopbackHTTP
        configuration.timeout = common.timeout
        configuration.issuers = common.issuers
        configuration.tenant = common.tenant
        configuration.loginDefaults = common.loginDefaults
        configuration.endpoints = try Self.endpoints(&section, common)
        configuration.endpointHosts = try section.optionalStrings("endpointHosts")
        do {
            try configuration.check()
        } catch {
            throw section.error(error.member, error.problem, hint: error.hint)
        }
        return try ShopifyProvider(configuration, environment: environment)
    }

    private static let knownClients = "Known are publicMobile, publicWeb, confidential and app."

    private static func client(
        _ section: inout ConfigurationSection,
        redirectURI: String?
    ) throws -> ShopifyProvider.Client {
        let secret = try section.optionalSecret("clientSecret")
        let type: String
        if let given = try section.optionalString("client") {
            type = given
        } else if secret != nil {
            type = "confidential"
        } else {
            throw section.error("client", "is missing", hint: Self.knownClients)
        }
        let origin = try section.optionalString("origin")
        guard secret == nil || type.isIdentical(to: "confidential") else {
            throw section.error(
                "clientSecret",
                "is there although the client is \(type)",
                hint: "Only a confidential client has a secret: remove it, or set client to confidential."
            )
        }
        guard origin == nil || type.isIdentical(to: "publicWeb") else {
            throw section.error(
                "origin",
                "is there although the client is \(type)",
                hint: "Only a publicWeb client sends an Origin header: remove it."
            )
        }
        switch type {
        case "publicMobile": return .publicMobile
        case "app": return .app
        case "confidential":
            guard let secret else {
                throw section.error(
                    "clientSecret",
                    "is missing",
                    hint: "A confidential client has one: write { \"env\": \"NAME\" } or { \"file\": \"path\" }."
                )
            }
            return .confidential(secret)
        case "publicWeb":
            let derived = redirectURI.flatMap { try? HTTPURL($0) }?.origin
            guard let origin = origin ?? derived else {
                throw section.error(
                    "origin",
                    "is missing, and no redirectURI tells it",
                    hint: "Write the app's origin, for example https://app.example."
                )
            }
            return .publicWeb(origin: origin)
        default:
            throw section.error(
                "client",
                "is no type of client",
                hint: Self.knownClients
            )
        }
    }

    private static func endpoints(
        _ section: inout ConfigurationSection,
        _ common: CommonProviderMembers
    ) throws -> ShopifyProvider.Endpoints {
        var endpoints = ShopifyProvider.Endpoints()
        guard var members = try section.optionalSection("endpoints") else { return endpoints }
        func url(_ name: String) throws -> HTTPURL? {
            try members.optionalURL(name, allowsLoopbackHTTP: common.allowsLoopbackHTTP)
        }
        endpoints.discovery = try url("discovery")
        endpoints.authorization = try url("authorization")
        endpoints.token = try url("token")
        endpoints.jwks = try url("jwks")
        endpoints.logout = try url("logout")
        endpoints.api = try url("api")
        try members.finish()
        return endpoints
    }
}
