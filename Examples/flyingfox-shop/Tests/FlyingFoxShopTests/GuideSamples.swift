import FlyingFox
import FlyingSocks
import IdentityKit
import IdentityWeb
import ShopifyStorefront

@testable import flyingfox_shop

// The code of Documentation/Using/FlyingFox.md, compiled. A test of the root package compares it with the page.

// swift-format-ignore
private func server(_ sessions: SessionManager, _ carts: CartAdapter) async throws {
    let routes = try SignInRoutes(
        sessions: sessions, carts: carts, configuration: .init(publicOrigin: "https://shop.example"))
    let server = HTTPServer(
        address: try .inet(ip4: "127.0.0.1", port: 8080),
        timeout: 120,
        handler: WebHandler { request in
            await routes.handle(request) { context in
                let session = try await context.requireSession()
                return .html("<p>Signed in: \(session.id.reference)</p>")
            }
        })
    try await server.run()
}
