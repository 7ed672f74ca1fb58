import Foundation
import IdentityHTTP
import IdentityKit
import IdentityWeb
import ShopifyGraphQL
import ShopifyStorefront
import Testing

/// The code of the guide, compiled; the test below holds page and code together.
private enum Guide {
    static func ordersPage(of session: SessionID) async throws -> WebResponse { .html(session.description) }
    @Sendable static func isBlocked(_ buyer: Buyer) async throws -> Bool { buyer.subject.isEmpty }

    // swift-format-ignore
    static func server(
        _ request: WebRequest, _ sessions: SessionManager, _ carts: CartAdapter, _ variant: String
    ) async throws -> WebResponse {
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
        try context.refuseForgery()
        let session = try await context.beginCartSession()     // the buyer's, or a guest's
        _ = try await carts.add([CartLineInput(merchandiseID: variant)], for: session.id)
        return try .redirect(to: "/cart")
    default:
        return .html("<h1>Shop</h1>")
    }
}
        return response
    }

    // swift-format-ignore
    static func admission(_ configuration: inout SignInRoutes.Configuration) {
configuration.admit = { signIn in
    if try await isBlocked(signIn.buyer) { return .refuse }
    return signIn.returnPath == nil ? .acceptAndGo(to: "/welcome") : .accept
}
    }

    // swift-format-ignore
    static func ownRoutes(
        _ request: WebRequest, _ response: inout WebResponse, _ options: LoginOptions, _ sessions: SessionManager,
        _ cookies: SignInCookies
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

    // swift-format-ignore
    static func returnPaths() throws {
var configuration = SessionManager.Configuration()
configuration.returnPaths = try ReturnPathPolicy(origins: ["https://blog.example"], otherwise: "/")
        _ = configuration
    }

    // swift-format-ignore
    static func token(_ id: SessionID, _ sessions: SessionManager) async throws {
let answer = try await sessions.tokens(for: id, validFor: .seconds(60))
        _ = answer
    }

    // swift-format-ignore
    static func events() {
struct Log: IdentityObserver {
    func identityEvent(_ event: IdentityEvent) {
        print(event.kind, event.provider, event.duration, event.correlationID)
    }
}
        _ = Log()
    }
}

@Suite("The server guide")
struct ServerAppGuideTests {
    @Test("all Swift of the page is code that compiles")
    func code() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Documentation/Using/ServerApp.md"), encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 6)
        for block in blocks { #expect(source.contains(block.components(separatedBy: "```")[0])) }
    }
}
