import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

private struct StatusPages: SignInPages {
    func html(for page: SignInPage) -> String { "\(page.status)" }
}

@Suite("Sign-out routes and forged requests")
struct LogoutTests {
    @Test("a sign-out ends the session, sends the browser to the provider, and accepts its return once")
    func logout() async throws {
        let log = EventLog()
        let stage = try await WebStage(bridge: log.bridge)
        let browser = stage.browser()
        try await stage.signIn(browser)
        let answer = try await browser.post("/auth/logout")
        #expect(answer.status == 303 && answer.location.hasPrefix(stage.sandbox.openID.issuer))
        #expect(browser.value(of: WebStage.session) == nil)
        #expect(try await stage.sessions.sessions().isEmpty)
        let query = try #require(HTTPURL(answer.location).query)
        let state = try #require(query.split(separator: "&").first { $0.hasPrefix("state=") })
        let back = try await browser.get("/auth/logout/done?\(state)", from: .otherSite)
        #expect(back.status == 303 && back.location == "/auth/logout/done")
        // The page has an address without the state, so that the buyer can load it again.
        for _ in 0..<2 {
            let page = try await browser.get(back.location, from: .otherSite)
            #expect(page.status == 200 && page.text.contains("You are signed out"))
        }
        #expect(!log.all.contains { $0.name == "identity_logout_refused" })
        // The state works once.
        #expect(try await browser.get("/auth/logout/done?\(state)", from: .otherSite).status == 400)
        #expect(try await browser.get("/auth/logout/done").status == 200)
        #expect(try await browser.post("/auth/logout").location == "/auth/logout/done")
    }

    @Test("an app's page after a refused return has the status of the response")
    func statusOfPage() async throws {
        let browser = try await WebStage(routes: { $0.pages = StatusPages() }).browser()
        let answer = try await browser.get("/auth/logout/done?state=x", from: .otherSite)
        #expect(answer.status == 400 && answer.text == "400")
    }

    @Test("a signed-in browser at the address after a sign-out is sent to the home page", arguments: ["", "?state=x"])
    func stillSignedIn(query: String) async throws {
        let stage = try await WebStage(routes: { $0.homePath = "/home" })
        let browser = stage.browser()
        try await stage.signIn(browser)
        let answer = try await browser.get("/auth/logout/done\(query)", from: .otherSite)
        #expect(answer.status == 303 && answer.location == "/home")
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":true"))
    }

    @Test("links of other sites to the address after a sign-out do not end a pending sign-out")
    func otherReturn() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        try await stage.signIn(browser)
        let query = try #require(HTTPURL(try await browser.post("/auth/logout").location).query)
        let state = try #require(query.split(separator: "&").first { $0.hasPrefix("state=") })
        for (target, status) in [("/auth/logout/done", 200), ("/auth/logout/done?state=x", 400)] {
            #expect(try await browser.get(target, from: .otherSite).status == status)
        }
        #expect(try await browser.get("/auth/logout/done?\(state)", from: .otherSite).status == 303)
        #expect(browser.value(of: "__Host-identity-logout") == nil)
    }

    /// Headers of a post, and whether it comes from a page of the app.
    static let posts: [([String: String], Bool)] = [
        (["Sec-Fetch-Site": "same-origin"], true),
        (["Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"], true),
        (["Sec-Fetch-Site": "cross-site"], false),
        (["Sec-Fetch-Site": "same-site"], false),
        (["Sec-Fetch-Site": "none"], false),
        (["Sec-Fetch-Site": "cross-site", "Origin": WebStage.origin], false),
        (["Origin": WebStage.origin], true),
        (["Origin": "null"], false),
        (["Origin": "https://shop.example:444"], false),
        (["Origin": "http://shop.example"], false),
        (["Origin": "https://shop.example.evil.example"], false),
    ]

    @Test("two different values of Sec-Fetch-Site or Origin are refused, even if one of them is correct")
    func twoValues() async throws {
        let stage = try await WebStage()
        for (name, values) in [
            ("Sec-Fetch-Site", ["same-origin", "cross-site"]), ("Origin", ["https://evil.example", WebStage.origin]),
        ] {
            var headers = HTTPHeaders()
            for value in values { try headers.append(name, value) }
            let request = WebRequest(method: .post, target: "/cart", headers: headers)
            let context = stage.routes.context(for: request)
            #expect(throws: WebResponseError.self, "\(name)") { try context.refuseCSRF() }
        }
    }

    @Test("only a page of the app can sign the buyer out", arguments: posts)
    func forged(headers: [String: String], isOurs: Bool) async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        try await stage.signIn(browser)
        let answer = try await browser.post("/auth/logout", headers: headers)
        #expect(answer.status == (isOurs ? 303 : 403))
        #expect(isOurs || answer.text.contains("could not confirm that you made this request"))
        #expect(try await stage.sessions.sessions().count == (isOurs ? 0 : 1))
    }

    @Test("a sign-out request without origin headers gets a confirmation page, whose form signs out")
    func confirmed() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        try await stage.signIn(browser)
        let page = try await browser.post("/auth/logout", headers: [:])
        #expect(page.status == 200 && page.text.contains("<button class=\"button\">Sign out</button>"))
        let policy = try #require(page.headers["Content-Security-Policy"])
        #expect(policy.contains("form-action 'self' \(try HTTPURL(stage.sandbox.openID.issuer).origin)"))
        #expect(try await stage.sessions.sessions().count == 1)
        let token = try #require(
            page.text.split(separator: "name=\"csrf_token\" value=\"").last?.split(separator: "\"").first
        )
        let foreign = stage.browser()
        try await stage.signIn(foreign, as: stage.grace)
        #expect(try await foreign.post("/auth/logout", [("csrf_token", String(token))], headers: [:]).status == 403)
        #expect(try await browser.post("/auth/logout", [("csrf_token", String(token))], headers: [:]).status == 303)
        #expect(try await stage.sessions.sessions().count == 1)
    }

    @Test("GET on the sign-out route ends no session: it shows the form, or the page after a sign-out")
    func get() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        let without = try await browser.get("/auth/logout")
        #expect(without.status == 303 && without.location == "/auth/logout/done")
        try await stage.signIn(browser)
        for (source, headers) in [
            (TestBrowser.Source.sameSite, ["Sec-Fetch-Site": "same-origin"]), (.sameSite, [:]),
            (.otherSite, ["Sec-Fetch-Site": "cross-site"]),
        ] {
            let page = try await browser.get("/auth/logout", from: source, headers: headers)
            #expect(page.status == 200 && page.text.contains("<button class=\"button\">Sign out</button>"))
            #expect(page.headers["Cache-Control"]?.contains("no-store") == true)
            #expect(try await stage.sessions.sessions().count == 1)
        }
        #expect(try await browser.post("/auth/logout").status == 303)
        #expect(try await stage.sessions.sessions().isEmpty)
    }

    @Test("a form of the app is refused if another site posts it, and accepted with the session's CSRF token")
    func ownForm() async throws {
        let stage = try await WebStage()
        let browser = TestBrowser(stage.routes) { context in
            try context.refuseCSRF()
            return .html(context.csrfToken?.reveal() ?? "")
        }
        try await stage.signIn(browser)
        let refused = try await browser.post("/cart", headers: ["Sec-Fetch-Site": "cross-site"])
        #expect(refused.status == 403 && refused.text.contains("could not confirm that you made this request"))
        #expect(!refused.text.contains("signed in") && !refused.text.contains("Sign in"))
        #expect(try await browser.post("/cart", headers: [:]).status == 403)
        let token = try await browser.post("/cart").text
        #expect(try await browser.post("/cart", headers: ["X-CSRF-Token": token]).status == 200)
        #expect(try await browser.post("/cart", headers: ["X-CSRF-Token": token + "x"]).status == 403)
    }

    @Test("the logout origins are those of the session's provider; without a session the list is empty")
    func origins() async throws {
        let stage = try await WebStage()
        let browser = TestBrowser(stage.routes) { .html(await $0.logoutOrigins().joined(separator: " ")) }
        #expect(try await browser.get("/page").text.isEmpty)
        try await stage.signIn(browser)
        #expect(try await browser.get("/page").text == HTTPURL(stage.sandbox.openID.issuer).origin)
        let id = try #require(stage.sessionID(browser))
        _ = try await stage.sessions.logout(id)
        #expect(try await browser.get("/page").text.isEmpty)
    }

    @Test("a logout token of the provider ends the session, and an invalid one ends none")
    func backChannel() async throws {
        let stage = try await WebStage(providers: ["op"])
        let browser = stage.browser()
        try await stage.signIn(browser)
        func send(_ token: String) async throws -> WebResponse {
            // The provider's server posts it, without cookies and without the headers of a browser.
            let headers = try HTTPHeaders(["Content-Type": "application/x-www-form-urlencoded"])
            let body = FormEncoding.encode([("logout_token", token)])
            return await stage.routes.handle(
                WebRequest(method: .post, target: "/auth/backchannel-logout/op", headers: headers, body: body)
            ) { _ in .html("app") }
        }
        let forged = stage.sandbox.openID.logoutToken(for: .buyer(email: stage.ada.email)) {
            $0.claims["aud"] = .string("another-client")
        }
        #expect(try await send(forged).status == 400)
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":true"))
        let answer = try await send(stage.sandbox.openID.logoutToken(for: .buyer(email: stage.ada.email)))
        #expect([200, 204].contains(answer.status) && answer.headers["Cache-Control"]?.contains("no-store") == true)
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":false"))
    }

    @Test(
        "a wrong method gets 405 with Allow, an unknown provider 404, a large body 413, and other paths belong to the app"
    )
    func methods() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        let notPosted = try await browser.get("/auth/backchannel-logout/op")
        #expect(notPosted.status == 405 && notPosted.headers["Allow"] == "POST")
        let put = await stage.routes.handle(WebRequest(method: .put, target: "/auth/logout")) { _ in .html("app") }
        #expect(put.status == 405 && put.headers["Allow"] == "GET, HEAD, POST")
        for (path, allow) in [("/auth/login/op", "GET"), ("/auth/callback/op", "GET"), ("/auth/session", "GET, HEAD")] {
            let answer = try await browser.post(path)
            #expect(answer.status == 405 && answer.headers["Allow"] == allow, "\(path)")
        }
        for path in ["/auth/login/unknown", "/auth/callback/unknown", "/auth/login/op/", "/auth/login/"] {
            #expect(try await browser.get(path).status == 404, "\(path)")
        }
        #expect(try await browser.get("/auth").text == "app")
        let large = try await browser.post("/auth/logout", [("a", String(repeating: "x", count: 70_000))])
        #expect(large.status == 413)
    }

    @Test("HEAD is answered as GET where GET changes nothing; it begins no sign-in and uses no callback")
    func head() async throws {
        let stage = try await WebStage()
        func send(_ method: HTTPMethod, _ target: String) async -> WebResponse {
            await stage.routes.handle(WebRequest(method: method, target: target)) { _ in .html("app") }
        }
        for path in ["/auth/login", "/auth/logout", "/auth/session"] {
            let (get, head) = (await send(.get, path), await send(.head, path))
            #expect(head.status == get.status && head.status != 405, "\(path)")
            #expect(head.headers["Location"] == get.headers["Location"], "\(path)")
        }
        for path in ["/auth/login/op", "/auth/callback/op?code=c&state=s", "/auth/logout/done"] {
            let head = await send(.head, path)
            #expect(head.status == 405 && head.headers["Allow"] == "GET", "\(path)")
            #expect(head.headers["Set-Cookie"] == nil, "\(path)")
        }
        let browser = stage.browser()
        try await stage.signIn(browser)
        #expect(try await browser.head("/auth/logout", headers: ["Sec-Fetch-Site": "same-origin"]).status == 200)
        #expect(try await stage.sessions.sessions().count == 1)
        // With third-party logins, GET of this route may begin a sign-in.
        var configuration = SignInRoutes.Configuration(publicOrigin: WebStage.origin)
        configuration.thirdPartyLogins = [stage.sandbox.openID.issuer: "op"]
        let routes = try SignInRoutes(sessions: stage.sessions, configuration: configuration)
        #expect(try await TestBrowser(routes).head("/auth/login").status == 405)
    }

    @Test("the routes refuse a wrong redirect URI, an http origin, malformed names and pages, and limits below 1")
    func start() async throws {
        let stage = try await WebStage()
        @discardableResult
        func expectRefusal(_ change: (inout SignInRoutes.Configuration) -> Void) -> IdentityError? {
            var configuration = SignInRoutes.Configuration(publicOrigin: WebStage.origin)
            change(&configuration)
            let error = #expect(throws: IdentityError.self) {
                try SignInRoutes(sessions: stage.sessions, configuration: configuration)
            }
            #expect(error?.code == .configurationInvalid && error?.hint != nil)
            return error
        }
        expectRefusal { $0.basePath = "/login" }
        for path in ["auth", "//evil.example"] {
            #expect(expectRefusal { $0.basePath = path }?.message.contains("`basePath`") == true)
        }
        expectRefusal { $0.publicOrigin = "http://shop.example" }
        expectRefusal { $0.publicOrigin = "https://shop.example/path" }
        expectRefusal { $0.cookieName = "a b" }
        expectRefusal { $0.cookieName = "" }
        expectRefusal { $0.cookieName = "__Host-shop" }
        expectRefusal { $0.maximumOpenLogins = 0 }
        expectRefusal { $0.homePath = "/auth/logout/done" }
        expectRefusal { $0.loginLimit.burst = 0 }
        expectRefusal { $0.loginLimit.interval = .zero }
        expectRefusal { $0.loginLimit.maximumAddresses = 0 }
        expectRefusal { $0.maximumSessions = 0 }
        expectRefusal { $0.sessionCookieLifetime = .milliseconds(999) }
        expectRefusal { $0.guestLifetime = .zero }
        for page in ["", "orders", "//evil.example", "http://shop.example/"] { expectRefusal { $0.homePath = page } }
        expectRefusal { $0.thirdPartyLogins = ["https://id.example": "unknown"] }
        #expect(stage.routes.callbackAddresses.map(\.address).contains("https://shop.example/auth/callback/op"))
    }
}
