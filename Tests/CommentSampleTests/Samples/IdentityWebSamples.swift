import IdentityHTTP
import IdentityKit
import IdentityWeb
import ShopifyStorefront

private func page(for session: Session) -> WebResponse { .html(session.provider) }

struct Pages: SignInPages {
    func html(for page: SignInPage) -> String {
        switch page.content {
        case .signedOut: "<!doctype html><title>Bye</title><p>You are signed out.</p>"
        default: StandardPages().html(for: page)
        }
    }
}

// swift-format-ignore
extension App {
    func webContext(of request: WebRequest, routes: SignInRoutes) async throws -> WebResponse {
        let context = routes.context(for: request)
        if let response = await context.dispatch() { return response }     // sign-in, callback, sign-out …
        let session = try await context.requireSession()                   // or session(), cartSession()
        return context.finish(page(for: session))                          // cookies and cache headers
    }

    func freshSession(_ context: WebContext) async throws {
        let session = try await context.requireSession(maxAge: .seconds(300))
        _ = session
    }

    func health(of request: WebRequest, routes: SignInRoutes) async -> WebResponse {
        switch request.path {
        case "/health": return await routes.health()
        default: return await routes.handle(request) { _ in .html("") }
        }
    }

    func routes(_ request: WebRequest, carts: CartAdapter, escape: (String) -> String) async throws {
        let routes = try SignInRoutes(sessions: sessions, carts: carts, configuration: .init(publicOrigin: "https://shop.example"))
        let response = await routes.handle(request) { context in
            let session = try await context.requireSession()
            return .html("<p>Hello, \(escape(session.buyer.displayName ?? "you"))</p>")
        }
        _ = response
    }

    func webRequest(headers: HTTPHeaders) {
        let request = WebRequest(
            method: HTTPMethod(rawValue: "GET"), target: "/auth/login/shopify?return=/cart", headers: headers,
            clientAddress: "203.0.113.7")
        _ = request
    }

    func cookies(
        of request: WebRequest, callback: LoginCallback, response: inout WebResponse
    ) async throws {
        let cookies = try SignInCookies(publicOrigin: "https://shop.example")
        let login = try await sessions.begin("shopify")
        try response.headers.append("Set-Cookie", cookies.login(login).headerValue)
        // At the callback:
        let done = try await sessions.complete(
            callback, browserBinding: cookies.binding(of: callback, in: request), provider: "shopify")
        try response.headers.append("Set-Cookie", cookies.session(done.session.id).headerValue)
    }
}
