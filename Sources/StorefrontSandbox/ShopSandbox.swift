public import IdentitySandbox

/// A `Sandbox` with a shop: the Storefront API, its carts, and the Customer Account API.
///
/// The shop's origin is ``SandboxStorefront/origin``, at the fifth port of the sandbox.
///
/// ```swift
/// let sandbox = try await ShopSandbox.start()
/// let file = sandbox.labConfiguration()
/// let configuration = try IdentityConfiguration(json: file.json.serialized, environmentVariables: file.environment)
/// // … the app signs in and fills a cart …
/// await sandbox.stop()
/// ```
public final class ShopSandbox: Sendable {
    /// The fake providers.
    public let providers: Sandbox
    /// The Storefront API and its carts.
    public let storefront: SandboxStorefront
    /// The customers of the Customer Account API.
    public let customers: SandboxCustomers

    private init(_ providers: Sandbox, _ configuration: SandboxStorefrontConfiguration) {
        self.providers = providers
        customers = SandboxCustomers(providers.shopify)
        storefront = SandboxStorefront(configuration, customers, in: providers)
        providers.open(shop: storefront)
    }

    /// Starts a sandbox with a shop.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the providers.
    ///   - storefront: The settings of the shop.
    ///   - port: The first of six consecutive ports, at most 65530; 0 lets the system choose them.
    /// - Returns: The running sandbox.
    /// - Throws: `IdentityError` of kind `configuration` if the first port is above 65530; an error if a port is taken or the process has
    ///   no more sockets or threads.
    public static func start(
        _ configuration: SandboxConfiguration = SandboxConfiguration(),
        storefront: SandboxStorefrontConfiguration = SandboxStorefrontConfiguration(),
        port: UInt16 = 0
    ) async throws -> ShopSandbox {
        ShopSandbox(try await Sandbox.listen(configuration, port: port), storefront)
    }

    /// The simulated Shopify Customer Accounts.
    public var shopify: SandboxShopify { providers.shopify }
    /// The simulated Bolt.
    public var bolt: SandboxBolt { providers.bolt }
    /// The simulated Salesforce Commerce Cloud, which uses Bolt.
    public var sfcc: SandboxSFCC { providers.sfcc }
    /// The plain OpenID provider.
    public var openID: SandboxOpenID { providers.openID }
    /// The configuration of the providers.
    public var configuration: SandboxConfiguration { providers.configuration }
    /// The origin of Shopify's platform, at the first port.
    public var origin: String { providers.origin }

    /// Closes all ports and connections, and returns when they are closed.
    public func stop() async {
        await providers.stop()
    }
}
