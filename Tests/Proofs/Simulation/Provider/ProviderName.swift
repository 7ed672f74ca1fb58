internal import IdentityBolt
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import IdentityShopify

/// The providers of the simulated app; two of them are one provider with two tenants.
enum ProviderName: String, CaseIterable {
    case any
    case anyOfB = "any-b"
    case shopify
    case bolt

    var tenant: String { self == .anyOfB ? "b" : "" }

    var clientID: String { "client-\(rawValue)" }

    var issuer: String { "https://\(self == .anyOfB ? "any" : rawValue).example" }
}

enum Providers {
    static let timeout = Duration.seconds(4)

    /// The real providers, over the simulated transport.
    static func all(_ environment: IdentityEnvironment, _ mutant: Mutant) throws -> [any IdentityProvider] {
        func faulty(_ inner: some JournaledRefreshing) -> any IdentityProvider {
            FaultyProvider(inner: inner, mutant: mutant, clock: environment.clock)
        }
        return try ProviderName.allCases.map { name in
            let provider: any JournaledRefreshing =
                switch name {
                case .any, .anyOfB: try openID(name, environment)
                case .shopify: try shopify(environment)
                case .bolt: try bolt(environment)
                }
            return mutant.concernsProviders ? faulty(provider) : provider
        }
    }

    private static func openID(
        _ name: ProviderName,
        _ environment: IdentityEnvironment
    ) throws -> any JournaledRefreshing {
        var configuration = OpenIDProvider.Configuration(
            name: name.rawValue,
            issuer: name.issuer,
            clientID: name.clientID
        )
        configuration.tenant = name.tenant
        configuration.timeout = timeout
        return try OpenIDProvider(configuration, environment: environment)
    }

    private static func shopify(_ environment: IdentityEnvironment) throws -> any JournaledRefreshing {
        let name = ProviderName.shopify
        var configuration = ShopifyProvider.Configuration(
            name: name.rawValue,
            shopDomain: nil,
            clientID: name.clientID,
            client: .publicMobile
        )
        configuration.issuers = [name.issuer]
        configuration.endpoints.authorization = try HTTPURL(name.issuer + "/authorize")
        configuration.endpoints.token = try HTTPURL(name.issuer + "/token")
        configuration.endpoints.jwks = try HTTPURL(name.issuer + "/keys")
        configuration.timeout = timeout
        return try ShopifyProvider(configuration, environment: environment)
    }

    private static func bolt(_ environment: IdentityEnvironment) throws -> any JournaledRefreshing {
        let name = ProviderName.bolt
        var configuration = BoltProvider.Configuration(
            name: name.rawValue,
            environment: .custom(apiBase: name.issuer),
            publishableKey: name.clientID,
            authentication: .confidential(apiKey: Secret("api-key"))
        )
        configuration.endpoints.token = try HTTPURL(name.issuer + "/token")
        configuration.endpoints.jwks = try HTTPURL(name.issuer + "/keys")
        configuration.timeout = timeout
        return try BoltProvider(configuration, environment: environment)
    }
}
