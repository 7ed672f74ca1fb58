internal import IdentityKit
public import IdentitySandbox

extension ShopSandbox {
    /// Creates the configuration of `Sandbox.labConfiguration` for all providers, and adds the storefront and the Customer Account API.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of every provider; `Sandbox.labConfiguration` documents the exceptions.
    ///   - storePath: The path of the store's database.
    ///   - storeKey: The store's key, 64 hexadecimal digits; by default random.
    /// - Returns: The file and the environment variables of its secrets.
    public func labConfiguration(
        redirectURI: String = "http://127.0.0.1/callback",
        storePath: String = "identity.sqlite",
        storeKey: String? = nil
    ) -> SandboxLabConfiguration {
        withShop(
            providers.labConfiguration(redirectURI: redirectURI, storePath: storePath, storeKey: storeKey)
        )
    }

    /// Creates the configuration of `Sandbox.labConfiguration(app:)` for a web app with the routes of `IdentityWeb` at `/auth`, and adds
    /// the storefront and the Customer Account API.
    ///
    /// - Parameters:
    ///   - app: The app's origin, for example `http://127.0.0.1:8080`.
    ///   - storePath: The path of the store's database.
    ///   - storeKey: The store's key, 64 hexadecimal digits; by default random.
    /// - Returns: The file and the environment variables of its secrets.
    public func labConfiguration(
        app: String,
        storePath: String = "identity.sqlite",
        storeKey: String? = nil
    ) -> SandboxLabConfiguration {
        withShop(providers.labConfiguration(app: app, storePath: storePath, storeKey: storeKey))
    }

    private func withShop(_ made: SandboxLabConfiguration) -> SandboxLabConfiguration {
        var (root, environment) = (made.json.object ?? [:], made.environment)
        environment["STOREFRONT_TOKEN"] = storefront.configuration.privateToken
        root["storefront"] = .object([
            "shopDomain": .string(Sandbox.shopDomain), "apiVersion": .string(ShopifyVersions.newest),
            "privateToken": .object(["env": .string("STOREFRONT_TOKEN")]), "endpoint": .string(storefront.endpoint),
            "allowsLoopbackHTTP": .bool(true),
        ])
        root["customerAccount"] = .object([
            "shopDomain": .string(Sandbox.shopDomain), "endpoint": .string(providers.shopify.endpoints.api),
            "allowsLoopbackHTTP": .bool(true),
        ])
        return SandboxLabConfiguration(json: .object(root), environment: environment)
    }
}
