internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

extension ShopifyProvider.Configuration: ProviderConfiguration {}

/// Creates ``ShopifyProvider`` from configuration entries of kind `shopify`.
public struct ShopifyProviderFactory: ProviderFactory {
    /// The kind of the configuration entries: `shopify`.
    public let kind = "shopify"

    private static let memberNames =
        CommonProviderMembers.names + [
            "shopDomain", "shopID", "clientID", "client", "clientSecret", "redirectURI", "postLogoutRedirectURI",
            "origin", "scopes", "apiVersion", "endpointHosts",
        ]

    /// Creates the factory.
    public init() {}

    /// Creates a provider from the members that `Documentation/Operating/Configuration.md` lists.
    public func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        try section.check(members: Self.memberNames)
        var endpoints = ShopifyProvider.Endpoints()
        let common = try CommonProviderMembers(
            &section,
            &endpoints,
            [
                "discovery": \.discovery, "authorization": \.authorization, "token": \.token, "jwks": \.jwks,
                "logout": \.logout, "api": \.api,
            ]
        )
        let redirectURI = try section.optionalString("redirectURI")
        var configuration = ShopifyProvider.Configuration(
            name: name,
            shopDomain: try section.optionalString("shopDomain"),
            clientID: try section.string("clientID"),
            client: try Self.client(&section, redirectURI: redirectURI)
        )
        configuration.redirectURI = redirectURI
        configuration.postLogoutRedirectURI = try section.optionalString("postLogoutRedirectURI")
        configuration.shopID = try section.optionalString("shopID")
        if let scopes = try section.optionalStrings("scopes") { configuration.scopes = scopes }
        if let version = try section.optionalString("apiVersion") { configuration.apiVersion = version }
        common.apply(to: &configuration)
        configuration.endpoints = endpoints
        configuration.endpointHosts = try section.optionalStrings("endpointHosts")
        do {
            try configuration.check()
        } catch {
            throw section.error(error.member, error.problem, hint: error.hint)
        }
        return try ShopifyProvider(configuration, environment: environment)
    }

    private static let knownClients = "Set client to publicMobile, publicWeb, confidential or app."

    private static func client(
        _ section: inout ConfigurationSection,
        redirectURI: String?
    ) throws -> ShopifyProvider.Client {
        let secret = try section.optionalSecret("clientSecret")
        guard let type = try section.optionalString("client") ?? (secret == nil ? nil : "confidential") else {
            throw section.error("client", "is missing", hint: knownClients)
        }
        let origin = try section.optionalString("origin")
        guard secret == nil || type.isIdentical(to: "confidential") else {
            throw section.error(
                "clientSecret",
                "is not used by a client of type \(type)",
                hint: "Remove clientSecret, or set client to confidential: only a confidential client has a secret."
            )
        }
        guard origin == nil || type.isIdentical(to: "publicWeb") else {
            throw section.error(
                "origin",
                "is not used by a client of type \(type)",
                hint: "Remove origin, or set client to publicWeb: only a publicWeb client sends an Origin header."
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
                    hint:
                        "Set clientSecret to { \"env\": \"NAME\" } or { \"file\": \"path\" }: a confidential client needs a secret."
                )
            }
            return .confidential(secret)
        case "publicWeb":
            let derived = redirectURI.flatMap { try? HTTPURL($0) }?.origin
            guard let origin = origin ?? derived else {
                throw section.error(
                    "origin",
                    "is missing and cannot be taken from redirectURI",
                    hint: "Set origin to the app's origin, for example https://app.example."
                )
            }
            return .publicWeb(origin: origin)
        default:
            throw section.error("client", "is not a client type", hint: knownClients)
        }
    }
}
