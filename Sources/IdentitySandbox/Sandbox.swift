internal import IdentityKit
internal import IdentityLoopback

/// Loopback servers that behave like Shopify, Bolt, Bolt behind SFCC and a plain OpenID provider; tests can plan their faults.
///
/// The product `StorefrontSandbox` adds a shop: the Storefront API, its carts, and the Customer Account API.
///
/// ```swift
/// let sandbox = try await Sandbox.start()
/// sandbox.openID.planFault(.tooManyRequests(retryAfter: 5), on: .token)
/// // … the app refreshes a token, and gets 429 once …
/// await sandbox.stop()
/// ```
///
/// Start a sandbox for each test. A process can run several sandboxes. A sandbox has six origins on 127.0.0.1:
///
/// | port | stands for |
/// | --- | --- |
/// | base | `https://shopify.com` (``SandboxShopify/platformOrigin``) |
/// | base + 1 | the shop's account domain (``SandboxShopify/accountOrigin``) |
/// | base + 2 | `https://api-sandbox.bolt.com` (``SandboxBolt/origin``) |
/// | base + 3 | the SFCC host (``SandboxSFCC/origin``) |
/// | base + 4 | `https://{shop}.myshopify.com` (``shopOrigin``) |
/// | base + 5 | an OpenID provider (``SandboxOpenID/issuer``) |
///
/// The base is the `port` of ``start(_:port:)``. If it is 0, the system chooses each of the six ports.
public final class Sandbox: Sendable {
    /// The simulated Shopify Customer Accounts.
    public let shopify: SandboxShopify
    /// The simulated Bolt.
    public let bolt: SandboxBolt
    /// The simulated Salesforce Commerce Cloud, which uses Bolt.
    public let sfcc: SandboxSFCC
    /// The plain OpenID provider.
    public let openID: SandboxOpenID
    /// The origin that stands for `https://{shop}.myshopify.com`, where clients fetch the discovery documents.
    public let shopOrigin: String
    /// The configuration with which the sandbox was started.
    public let configuration: SandboxConfiguration

    private let servers: [LoopbackServer]

    private init(_ configuration: SandboxConfiguration, _ servers: [LoopbackServer]) {
        let origins = servers.map(\.origin)
        let directory = BuyerDirectory(configuration.buyers)
        let shopify = SandboxShopify(configuration, directory: directory, platform: origins[0], account: origins[1])
        let bolt = SandboxBolt(configuration, directory: directory, origin: origins[2])
        self.shopify = shopify
        self.bolt = bolt
        sfcc = SandboxSFCC(configuration, directory: directory, bolt: bolt, origin: origins[3])
        shopOrigin = origins[4]
        openID = SandboxOpenID(configuration, directory: directory, origin: origins[5])
        self.configuration = configuration
        self.servers = servers
    }

    /// Starts a sandbox.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the sandbox.
    ///   - port: The first of six consecutive ports, at most 65530; 0 lets the system choose them.
    /// - Returns: The running sandbox.
    /// - Throws: `IdentityError` of kind `configuration` if the first port is above 65530; an error if a port is taken or the process has
    ///   no more sockets or threads.
    public static func start(
        _ configuration: SandboxConfiguration = SandboxConfiguration(),
        port: UInt16 = 0
    ) async throws -> Sandbox {
        let sandbox = try await listen(configuration, port: port)
        sandbox.open(shop: nil)
        return sandbox
    }

    /// Opens the ports; every request gets 503 until ``open(shop:)`` is called.
    package static func listen(_ configuration: SandboxConfiguration, port: UInt16) async throws -> Sandbox {
        guard port <= 65530 else {
            throw IdentityError(
                configuration: "The sandbox opens six consecutive ports, so it cannot begin at port \(port).",
                hint: "Use a port up to 65530, or 0 for free ports."
            )
        }
        var servers: [LoopbackServer] = []
        for index in UInt16(0)..<6 {
            do {
                servers.append(try await LoopbackServer.start(port: port == 0 ? 0 : port + index))
            } catch {
                for server in servers { await server.stop() }
                throw error
            }
        }
        return Sandbox(configuration, servers)
    }

    /// Begins to answer requests; `shop` adds the Storefront API, its carts and the Customer Account API.
    package func open(shop: (any ShopRouting)?) {
        // The closures capture the providers. With `self`, the sandbox and its servers would keep each other alive.
        let (shopify, bolt, sfcc, openID, configuration) = (shopify, bolt, sfcc, openID, configuration)
        let routers: [@Sendable (_ path: String) -> SandboxRoute] = [
            { shopify.route($0, shape: .platform, shop: shop) },
            { shopify.route($0, shape: .accountDomain, shop: shop) },
            { bolt.route($0) },
            { sfcc.route($0) },
            { path in
                guard let shop, !path.hasPrefix("/.well-known/") else {
                    return shopify.route(path, shape: configuration.shopify.endpointShape, shop: shop)
                }
                return shop.route(path)
            },
            { openID.route($0) },
        ]
        for (server, router) in zip(servers, routers) {
            server.serve { await router($0.path).respond(to: $0, configuration) }
        }
    }

    /// The origin of Shopify's platform, at the first port.
    public var origin: String { shopify.platformOrigin }

    /// Closes all ports and connections, and returns when they are closed.
    public func stop() async {
        for server in servers { await server.stop() }
    }
}
