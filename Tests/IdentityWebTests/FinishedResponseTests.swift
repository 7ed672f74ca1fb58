import IdentityHTTP
import IdentityKit
import IdentityTesting
import IdentityWeb
import Testing

@Suite("Cookies and cache headers of a finished response")
struct FinishedResponseTests {
    /// The headers with which an app permits shared caches to store a page.
    private static let cacheHeaders = [
        "Cache-Control": "public, max-age=600", "CDN-Cache-Control": "max-age=600",
        "Cloudflare-CDN-Cache-Control": "max-age=600", "Edge-Control": "max-age=600",
        "X-LiteSpeed-Cache-Control": "public,max-age=600", "Expires": "Sun, 06 Nov 2094 08:49:37 GMT",
        "Fastly-Surrogate-Control": "max-age=600", "Netlify-CDN-Cache-Control": "max-age=600", "Pragma": "public",
        "Surrogate-Control": "max-age=600", "Vercel-CDN-Cache-Control": "max-age=600", "X-Accel-Expires": "600",
    ]

    /// The response to a page with these headers, whose code does something with the context.
    private func response(
        _ headers: [String: String] = cacheHeaders,
        _ read: @escaping @Sendable (WebContext) async throws -> Void,
        finish: @escaping @Sendable (WebContext, WebResponse) -> WebResponse = { $1 }
    ) async throws -> WebResponse {
        let stage = try await WebStage(providers: ["op"])
        var page = WebResponse.html("page")
        for (name, value) in headers { try page.headers.set(name, value) }
        let finished = page
        return try await TestBrowser(stage.routes) { context in
            try await read(context)
            return finish(context, finished)
        }
        .get("/page")
    }

    @Test("after a session was read, no header lets a cache store the page")
    func session() async throws {
        let page = try await response { _ = try await $0.session() }
        #expect(page.headers["Cache-Control"] == "private, no-store" && page.headers["Vary"] == "Cookie")
        for name in Self.cacheHeaders.keys where name != "Cache-Control" {
            #expect(page.headers[name] == nil, "\(name)")
        }
        #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
    }

    @Test("reading the CSRF token, the cart session or the logout origins, or setting a cookie, makes a page private")
    func others() async throws {
        let token = try await response { _ = $0.csrfToken }
        let cart = try await response { _ = try await $0.cartSession() }
        let origins = try await response { _ = await $0.logoutOrigins() }
        let cookie = try await response { $0.set(try ResponseCookie("a", "b")) }
        for page in [token, cart, origins, cookie] {
            #expect(page.headers["Cache-Control"] == "private, no-store" && page.headers["CDN-Cache-Control"] == nil)
        }
        #expect(cookie.headers["Set-Cookie"]?.hasPrefix("a=b;") == true)
    }

    @Test("an app that calls `finish` itself sets each cookie once, also for a second response")
    func repetition() async throws {
        let ways: [@Sendable (WebContext, WebResponse) -> WebResponse] = [
            { $0.finish($1) }, { $0.finish($0.finish($1)) },
            { context, page in
                _ = context.finish(.html("discarded"))
                return page
            },
        ]
        for finish in ways {
            let page = try await response(
                Self.cacheHeaders,
                { context in for name in ["a", "b"] { context.set(try ResponseCookie(name, "c")) } },
                finish: finish
            )
            #expect(page.headers.values(for: "Set-Cookie").map { $0.prefix(4) } == ["a=c;", "b=c;"])
        }
    }

    @Test("a page that reads no session keeps its cache headers")
    func everybody() async throws {
        let page = try await response { _ in }
        for (name, value) in Self.cacheHeaders { #expect(page.headers[name] == value, "\(name)") }
        #expect(page.headers["Vary"] == nil)
    }

    @Test(
        "the Vary header names Cookie once",
        arguments: [("Accept", "Accept, Cookie"), ("accept, COOKIE", "accept, COOKIE"), ("*", "*")]
    )
    func vary(given: String, expected: String) async throws {
        let page = try await response(["Vary": given]) { _ = try await $0.session() }
        #expect(page.headers.values(for: "Vary") == [expected])
    }
}
