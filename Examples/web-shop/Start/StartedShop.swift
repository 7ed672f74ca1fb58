internal import Foundation
public import IdentityKit
public import IdentityWeb
public import WebShop

/// The shop with everything that it runs on, for a server's `main`.
public struct StartedShop: Sendable {
    /// The shop.
    public let shop: WebShop
    /// Where browsers reach the shop.
    public let origin: String
    private let sandbox: FakeServices?

    /// Opens the shop with the configured services, or with an embedded sandbox.
    ///
    /// - Parameters:
    ///   - options: The command line.
    ///   - origin: The server's own address, which `--origin` replaces.
    ///   - bridge: Receives all events; none by default.
    /// - Throws: `IdentityError` when the configuration, the origin or a redirect URI is not valid, or the store cannot be opened.
    public init(_ options: Options, at origin: String, events bridge: EventBridge? = nil) async throws {
        self.origin = options.origin ?? origin
        if let file = options.file {
            sandbox = nil
            let configuration = try IdentityConfiguration(contentsOf: file)
            shop = try await WebShop.open(configuration, publicOrigin: self.origin, events: bridge)
        } else {
            let started = try await FakeServices(app: self.origin)
            sandbox = started
            do {
                shop = try await WebShop.open(started.configuration, publicOrigin: self.origin, events: bridge)
            } catch {
                await started.stop()
                throw error
            }
        }
    }

    /// Returns the response to a request.
    public func respond(to request: WebRequest) async -> WebResponse {
        var request = request
        // With configured services, a proxy or tunnel on this machine may forward the requests of browsers. Its address is not the
        // buyer's, so Shopify must not get it. A shop in production passes the address that its proxy reports.
        if sandbox == nil, ["127.0.0.1", "::1"].contains(request.clientAddress) { request.clientAddress = nil }
        return await shop.respond(to: request)
    }

    /// Prints the redirect URIs, the address of the shop and how to stop it; call it when the server is running.
    public func announce() {
        print("The redirect URIs, which must be registered at the providers:")
        for (provider, address) in shop.routes.callbackAddresses { print("  \(provider): \(address)") }
        if sandbox != nil {
            print(
                "Sign in with any e-mail address, for example ada@example.com. The login page shows the one-time code."
            )
        }
        print("The shop is open: \(origin)\nIt closes with Ctrl-C.")
        fflush(nil)
    }

    /// Announces the shop and runs `SessionManager.maintain()` until SIGINT or SIGTERM, or until the server ends; then closes all.
    ///
    /// - Parameters:
    ///   - server: The running server.
    ///   - stopServer: Stops the server; it returns when the server has answered its last request.
    /// - Throws: The error of a server that ended without a signal.
    public func run(_ server: Task<Void, any Error>, stopServer: () async -> Void) async throws {
        let maintenance = Task { await shop.sessions.maintain() }
        let signal = Task { await ShopProgram.waitForSignal(announce) }
        Task {
            _ = await server.result
            signal.cancel()
        }
        await signal.value
        let hasFailed = signal.isCancelled
        await stopServer()
        maintenance.cancel()
        await maintenance.value
        await close()
        if hasFailed { try await server.value }
    }

    /// Waits for running refreshes, which may hold a token that is stored nowhere else, and stops the sandbox.
    ///
    /// Call this function when the server has answered its last request and `SessionManager.maintain()` has ended.
    public func close() async {
        let lost = await shop.sessions.drain()
        if !lost.isEmpty { print("New tokens are lost. These sessions may need a new sign-in: \(lost)") }
        await sandbox?.stop()
    }
}
