import Foundation
import IdentityHTTP
import IdentityKit
import IdentityWeb
import ShopifyGraphQL
import ShopifyStorefront

private func ordersPage(of session: SessionID) async throws -> WebResponse { .html(session.description) }
private func isBlocked(_ buyer: Buyer) async throws -> Bool { buyer.subject.isEmpty }

// swift-format-ignore
extension App {
    func serverAppPage(_ request: WebRequest) async throws -> WebResponse {
        // Once, at start:
        let routes = try SignInRoutes(
            sessions: sessions, carts: carts, configuration: .init(publicOrigin: "https://shop.example"))

        // For every request:
        let response = await routes.handle(request) { context in
            switch context.request.path {
            case "/orders":
                let session = try await context.requireSession()       // or the browser signs in, and comes back
                return try await ordersPage(of: session.id)
            case "/cart/add":
                try context.refuseCSRF()
                let session = try await context.beginCartSession()     // the buyer's, or a guest's
                let buyer = StorefrontContext(buyerIP: context.request.clientAddress)
                _ = try await carts.add([CartLineInput(merchandiseID: variant)], for: session.id, in: buyer)
                return try .redirect(to: "/cart")
            default:
                return .html("<h1>Shop</h1>")
            }
        }
        return response
    }

    func serverAppPage(_ configuration: inout SignInRoutes.Configuration) {
        configuration.admit = { signIn in
            if try await isBlocked(signIn.buyer) { return .refuse }
            return signIn.returnPath == nil ? .acceptAndGo(to: "/welcome") : .accept
        }
    }

    func serverAppPage(_ context: WebContext) async throws {
        let session = try await context.requireSession(maxAge: .seconds(300), acr: ["urn:example:two-factor"])
        _ = session
    }

    func serverAppPage(_ context: WebContext, _ reference: SessionReference) async throws {
        var rows: [(SessionReference, Bool, Date, Date, BuyerBrowser?)] = []
        for signIn in try await context.signIns() {
            rows.append((signIn.reference, signIn.isCurrent, signIn.createdAt, signIn.lastUsedAt, signIn.browser))
        }
        try await context.endSignIn(reference)       // from the form of one row; false for another buyer's
        try await context.endOtherSignIns()          // "sign out the others"
    }

    func serverAppPage(
        _ request: WebRequest, _ response: inout WebResponse, _ options: LoginOptions, _ cookies: SignInCookies
    ) async throws {
        // GET /login/shopify
        let login = try await sessions.begin("shopify", options: options)
        try response.headers.append("Set-Cookie", cookies.login(login).headerValue)
        // redirect to login.url.text

        // GET /callback/shopify
        let callback = try LoginCallback(url: request.target)
        let completed = try await sessions.complete(
            callback, browserBinding: cookies.binding(of: callback, in: request), provider: "shopify")
        try response.headers.append("Set-Cookie", cookies.session(completed.session.id).headerValue)
        // redirect to completed.returnPath ?? "/", so that the code leaves the address bar
    }

    func serverAppPageReturnPaths() throws {
        var configuration = SessionManager.Configuration()
        configuration.returnPaths = try ReturnPathPolicy(origins: ["https://blog.example"], otherwise: "/")
        _ = configuration
    }

    func serverAppPageTokens(of id: SessionID) async throws {
        let answer = try await sessions.tokens(for: id, validFor: .seconds(60))
        _ = answer
    }

    func serverAppPageEvents() {
        let bridge = EventBridge { event in
            print(event.level, event.name, event.labels, event.metadata)
        }
        _ = bridge
    }
}
