internal import Foundation
internal import IdentityKit
internal import IdentityWeb
internal import WebShop

/// The shop with everything that it runs on, for a server's `main`.
struct StartedShop {
    let shop: WebShop
    /// Where browsers reach the shop.
    let origin: String
    private let sandbox: FakeServices?

    /// Opens the shop with the configured services, or with an embedded sandbox.
    ///
    /// - Parameters:
    ///   - options: The command line.
    ///   - origin: Where browsers reach the shop.
    ///   - bridge: Receives all events; none by default.
    /// - Throws: `IdentityError` when the configuration, the origin or a redirect URI does not fit, or the store cannot be opened.
    init(_ options: Options, origin: String, events bridge: EventBridge? = nil) async throws {
        self.origin = origin
        let configuration: IdentityConfiguration
        if let file = options.file {
            sandbox = nil
            configuration = try IdentityConfiguration(contentsOf: file)
        } else {
            let started = try await FakeServices(app: origin)
            sandbox = started
            configuration = started.configuration
        }
        shop = try await WebShop.open(configuration, publicOrigin: origin, events: bridge)
    }

    /// Prints what a person in front of the terminal wants to know; call it when the server is running.
    func announce() {
        print("The redirect URIs, which must be registered at the providers:")
        for (provider, address) in shop.routes.callbackAddresses { print("  \(provider): \(address)") }
        if sandbox != nil {
            print("Sign in with any e-mail address, for example ada@example.com. The page shows the code.")
        }
        print("The shop is open: \(origin)\nIt closes with Ctrl-C.")
        fflush(nil)
    }

    /// Waits for running refreshes, which may hold a token that is stored nowhere else, and stops the sandbox.
    ///
    /// Call it when the server has answered its last request and `maintain` has ended.
    func close() async {
        let lost = await shop.sessions.drain()
        if !lost.isEmpty { print("These sessions have to sign in again: \(lost)") }
        await sandbox?.stop()
    }
}
