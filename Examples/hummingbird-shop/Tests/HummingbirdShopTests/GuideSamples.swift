import Hummingbird
import IdentityKit
import IdentityWeb
import Logging
import NIOCore
import ShopifyStorefront

@testable import hummingbird_shop

// The code of Documentation/Using/Hummingbird.md and LoggingAndMetrics.md, compiled. A test of the root
// package compares it with the pages.

// swift-format-ignore
private func server(_ sessions: SessionManager, _ carts: CartAdapter) async throws {
    let routes = try SignInRoutes(
        sessions: sessions, carts: carts, configuration: .init(publicOrigin: "https://shop.example"))
    let router = Router(context: ClientContext.self)
    router.add(middleware: WebMiddleware { request in
        await routes.handle(request) { context in
            let session = try await context.requireSession()
            return .html("<p>Signed in: \(session.id.reference)</p>")
        }
    })
    let application = Application(router: router)
    try await application.runService()
}

// swift-format-ignore
private func bridge(
    _ transport: any HTTPTransport, _ providers: ProviderRegistry, _ store: any SessionStore,
    _ storefrontConfiguration: StorefrontConfiguration, _ policy: inout CartPolicy
) {
    let bridge = EventBridge(logger: Logger(label: "sign-in"))
    let environment = IdentityEnvironment(transport: transport, observers: [bridge])
    let sessions = SessionManager(
        providers: providers, store: store, environment: environment, observers: [bridge])
    let storefront = StorefrontClient(
        configuration: storefrontConfiguration, environment: environment, observers: [bridge])
    policy.onEvent = bridge.cartEvent                     // CartPolicy, for CartAdapter
    _ = (sessions, storefront)
}
