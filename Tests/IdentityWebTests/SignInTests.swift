import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

@Suite("Sign-in routes")
struct SignInTests {
    @Test("a sign-in sets one session cookie and leads to the return path", arguments: ["op", "posted"])
    func signIn(provider: String) async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        let begun = try await browser.get("/auth/login/\(provider)?return=/orders")
        #expect(begun.status == 303 && begun.headers["Cache-Control"] == "private, no-store")
        let line = try #require(begun.headers["Set-Cookie"])
        #expect(line.hasPrefix("__Host-identity-login-") && line.contains("; Path=/; Max-Age=900; Secure; HttpOnly;"))
        #expect(line.hasSuffix(provider == "posted" ? "SameSite=None" : "SameSite=Lax"))

        let callback = try await stage.ada.callback(
            at: begun.location,
            redirectURI: "\(WebStage.origin)/auth/callback/\(provider)"
        )
        #expect((callback.body != nil) == (provider == "posted"))
        let done = try await stage.deliver(callback, browser)
        #expect(done.status == 303 && done.location == "/orders")
        #expect(done.headers["Referrer-Policy"] == "no-referrer")
        let id = try #require(stage.sessionID(browser))
        #expect(try await stage.sessions.session(id).buyer.email?.value == stage.ada.email)
    }

    @Test(
        "a callback that is opened twice leads to the same page, and is refused in another browser",
        arguments: ["op", "posted"]
    )
    func twice(provider: String) async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        let callback = try await stage.begin(browser, provider)
        #expect(try await stage.deliver(callback, browser).location == "/orders")
        let id = stage.sessionID(browser)
        let again = try await stage.deliver(callback, browser)
        #expect(again.status == 303 && again.location == "/orders")
        #expect(stage.sessionID(browser) == id)
        // An address of another site in a changed cookie is not visited.
        let name = try #require(browser.cookieNames.first { $0.hasPrefix("__Host-identity-login-") })
        let value = try #require(browser.value(of: name))
        browser.plant(name, value.replacing("%2Forders", with: "https%3A%2F%2Fevil%2Eexample%2F"))
        #expect(try await stage.deliver(callback, browser).location == "/")
        browser.plant(name, value)
        // After a sign-out the browser no longer holds the session of this sign-in.
        _ = try await browser.post("/auth/logout")
        let late = try await stage.deliver(callback, browser)
        #expect(late.status == 400 && late.text.contains("expired"))
        // The same after a sign-in of another buyer.
        try await stage.signIn(browser, as: stage.grace)
        #expect(try await stage.deliver(callback, browser).status == 400)
        let otherBrowser = stage.browser()
        #expect(try await stage.deliver(callback, otherBrowser).status == 400)
        #expect(otherBrowser.value(of: WebStage.session) == nil)
    }

    @Test("a return path that is too long for a cookie is reached, and a repeated callback leads to the home page")
    func longReturnPath() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        let path = "/orders?" + String(repeating: "=", count: 2_000)
        let callback = try await stage.begin(browser, returning: path)
        let done = try await stage.deliver(callback, browser)
        #expect(done.status == 303 && done.location == path)
        let id = try #require(stage.sessionID(browser))
        #expect(try await stage.deliver(callback, browser).location == "/")
        #expect(stage.sessionID(browser) == id)
    }

    @Test("two tabs can sign in at the same time, up to the permitted number of open logins")
    func tabs() async throws {
        let stage = try await WebStage {
            $0.attemptLifetime = .seconds(600)
        } routes: {
            $0.maximumOpenLogins = 2
        }
        let browser = stage.browser()
        let first = try await stage.begin(browser, returning: "/1")
        stage.clock.advance(by: .seconds(1))
        let second = try await stage.begin(browser, returning: "/2")
        #expect(try await stage.deliver(first, browser).location == "/1")
        #expect(try await stage.deliver(second, browser).location == "/2")

        let other = stage.browser()
        let oldest = try await stage.begin(other, returning: "/1")
        for number in 2...3 {
            stage.clock.advance(by: .seconds(1))
            let newer = try await stage.begin(other, returning: "/\(number)")
            if number == 3 { #expect(try await stage.deliver(newer, other).location == "/3") }
        }
        #expect(other.cookieNames.count { $0.hasPrefix("__Host-identity-login-") } == 2)
        #expect(try await stage.deliver(oldest, other).status == 400)
    }

    @Test(
        "a forged callback does not end a pending sign-in, even with the right state from another browser",
        arguments: ["op", "posted"]
    )
    func forged(provider: String) async throws {
        let stage = try await WebStage()
        let (victim, attacker) = (stage.browser(), stage.browser())
        let callback = try await stage.begin(victim, provider)
        let refused = try await stage.deliver(callback, attacker)
        #expect(refused.status == 400 && attacker.cookieNames.isEmpty)
        let madeUp = try await attacker.get("/auth/callback/\(provider)?code=x&state=made-up", from: .otherSite)
        #expect(madeUp.status == 400)
        // A callback with the right state and without a code does not end it either.
        let sent = try LoginCallback(url: callback.urlWithFields)
        let state = try #require(try sent.value(of: "state")).reveal()
        let bare = try await victim.get("/auth/callback/\(provider)?state=\(state)", from: .otherSite)
        #expect(bare.status == 400)
        #expect(try await stage.deliver(callback, victim).location == "/orders")
    }

    @Test("an expired attempt, a buyer who cancels, and a provider outage each lead to their own page")
    func pages() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        let late = try await stage.begin(browser)
        stage.clock.advance(by: .seconds(601))
        let expired = try await stage.deliver(late, browser)
        #expect(expired.status == 400 && expired.text.contains("This sign-in has expired"))

        let cancelling = SandboxBuyer(behaviour: .deny)
        let cancelled = try await stage.signIn(browser, as: cancelling)
        #expect(cancelled.status == 200 && cancelled.text.contains("Sign-in cancelled"))

        let callback = try await stage.begin(browser)
        stage.sandbox.openID.planFault(.status(503), on: .token, times: .max)
        let down = try await stage.deliver(callback, browser)
        #expect(down.status == 503 && down.headers["Retry-After"] != nil)
        #expect(down.text.contains("If you contact us, mention <code>"))
        #expect(browser.value(of: WebStage.session) == nil)
        for page in [expired, cancelled, down] {
            #expect(page.headers["Cache-Control"]?.contains("no-store") == true)
            #expect(page.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            #expect(page.headers["Referrer-Policy"] == "same-origin")
            #expect(!page.text.contains("<script"))
        }
    }

    @Test(
        "a return path that is too long or leads to another site is refused before the browser leaves",
        arguments: [
            "https://evil.example", "//evil.example", "/x/..//evil.example", "https:evil.example", "/\\evil.example",
            "/" + String(repeating: "x", count: 2_048),
        ]
    )
    func returnPaths(path: String) async throws {
        let stage = try await WebStage()
        let answer = try await stage.browser().get("/auth/login/op?return=" + FormEncoding.escape(path))
        #expect(answer.status == 400 && answer.location.isEmpty)
    }

    @Test(
        "a return path that leads to one of the routes is replaced by the home page",
        arguments: [
            ("/auth/logout/done", "/"), ("/auth/login/op?return=/orders", "/"), ("/auth/./%6Cogin#x", "/"),
            ("https://shop.example/auth/session", "/"), ("/auth/callback/unknown", "/"),
            ("/auth/orders", "/auth/orders"),
        ]
    )
    func routesAsReturnPath(path: String, reached: String) async throws {
        let stage = try await WebStage(manager: { $0.returnPaths = try! ReturnPathPolicy(origins: [WebStage.origin]) })
        let browser = stage.browser()
        let callback = try await stage.begin(browser, returning: FormEncoding.escape(path))
        #expect(try await stage.deliver(callback, browser).location == reached)
    }

    @Test("too many sign-ins from one address get status 429, and more are permitted after some time")
    func limit() async throws {
        let stage = try await WebStage { _ in
        } routes: {
            $0.loginLimit.burst = 3
        }
        let browser = stage.browser()
        for _ in 0..<3 { #expect(try await browser.get("/auth/login/op").status == 303) }
        let refused = try await browser.get("/auth/login/op")
        #expect(refused.status == 429 && refused.headers["Retry-After"] == "6")
        stage.clock.advance(by: .seconds(6))
        #expect(try await browser.get("/auth/login/op").status == 303)
        #expect(try await browser.get("/auth/login/op").status == 429)
    }

    @Test("the addresses of an IPv6 /64 network count as one client, and a request without an address is not limited")
    func limitedClients() async throws {
        let stage = try await WebStage { _ in
        } routes: {
            $0.loginLimit.burst = 1
        }
        let unlimited = try await WebStage { _ in
        } routes: {
            ($0.loginLimit.burst, $0.loginLimit.interval) = (.max, .seconds(Int64.max))
        }
        let request = WebRequest(method: .get, target: "/auth/login/op", clientAddress: "2001:db8::1")
        #expect(await unlimited.routes.handle(request) { _ in .html("app") }.status == 303)
        func begin(_ address: String?) async -> Int {
            let request = WebRequest(method: .get, target: "/auth/login/op", clientAddress: address)
            return await stage.routes.handle(request) { _ in .html("app") }.status
        }
        for (address, status) in [
            ("2001:db8:1:2::1", 303), ("2001:db8:1:2:ffff::9", 429), ("2001:db8:1:3::1", 303), ("203.0.113.8", 303),
            ("203.0.113.9", 303), ("203.0.113.9", 429), (nil, 303), (nil, 303),
            // A server that listens for IPv4 and IPv6 on one socket reports IPv4 clients in this form.
            ("::ffff:203.0.113.20", 303), ("::ffff:203.0.113.21", 303), ("203.0.113.20", 429),
            ("64:ff9b::203.0.113.24", 303), ("64:ff9b::203.0.113.25", 303), ("203.0.113.24", 429),
            ("::ffff:cb00:7115", 429), ("::fffe:203.0.113.22", 303), ("::fffe:203.0.113.23", 429),
        ] {
            #expect(await begin(address) == status, "\(address ?? "none")")
        }
        // A /48 network has 65,536 networks of this size; it gets 64 times the limit of one.
        var statuses: [Int] = []
        for network in 1...65 { statuses.append(await begin("2001:db8:9:\(network)::1")) }
        #expect(statuses == Array(repeating: 303, count: 64) + [429])
    }

    @Test("the app can refuse a verified buyer, or choose the page after the sign-in")
    func admission() async throws {
        let stage = try await WebStage { _ in
        } routes: {
            $0.admit = { signIn in
                #expect(signIn.returnPath == "/orders" && signIn.clientAddress == "203.0.113.7")
                return signIn.buyer.email?.value == "grace@example.com" ? .refuse : .acceptAndGo(to: "/welcome")
            }
        }
        let browser = stage.browser()
        let refused = try await stage.signIn(browser, as: stage.grace)
        #expect(refused.status == 403 && browser.value(of: WebStage.session) == nil)
        #expect(try await stage.sessions.sessions().isEmpty)
        #expect(try await stage.signIn(browser).location == "/welcome")
    }

    @Test("if the number of sessions is limited, a new sign-in ends the buyer's oldest sessions and revokes no token")
    func maximum() async throws {
        let seen = EventLog()
        let stage = try await WebStage(
            bridge: seen.bridge,
            routes: { $0.maximumSessions = 2 },
            sandbox: { $0.openID.supportsRevocation = true }
        )
        var ids: [SessionID] = []
        for _ in 0..<3 {
            let browser = stage.browser()
            try await stage.signIn(browser)
            ids.append(try #require(stage.sessionID(browser)))
            stage.clock.advance(by: .seconds(1))
        }
        #expect(try await Set(stage.sessions.sessions().map(\.id)) == Set(ids.suffix(2)))
        // Many providers keep one grant for a buyer and a client, so a revocation would end the new session too.
        #expect(stage.sandbox.openID.counters.revocations == 0)
        let ended = seen.all.filter { $0.name == "identity_logged_out" }
        #expect(ended.map { $0.metadata.first { $0.name == "session" }?.value } == [ids[0].reference.rawValue])
    }

    @Test("a page that needs a buyer sends the browser to sign in and back; a script gets 401")
    func required() async throws {
        let stage = try await WebStage(providers: ["op"])
        let browser = TestBrowser(stage.routes) { context in
            let session = try await context.requireSession()
            return .html(session.buyer.email?.value ?? "")
        }
        let sent = try await browser.get("/orders?page=2")
        #expect(sent.status == 303 && sent.location.hasPrefix(stage.sandbox.openID.issuer))
        let callback = try await stage.ada.callback(
            at: sent.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        #expect(try await stage.deliver(callback, browser).location == "/orders?page=2")
        let page = try await browser.get("/orders?page=2")
        #expect(page.text == stage.ada.email)
        #expect(page.headers["Cache-Control"] == "private, no-store" && page.headers["Vary"] == "Cookie")
        let script = try await stage.routes.handle(
            WebRequest(method: .get, target: "/orders", headers: .init(["Accept": "application/json"]))
        ) { .html(try await $0.requireSession().provider) }
        #expect(script.status == 401 && script.text.contains("\"sign_in\":\"/auth/login\""))
        // A client that also accepts HTML is treated as a browser. A form cannot be sent again after the sign-in.
        let other = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        let form = try await other.post("/orders", headers: ["Accept": "text/html, application/json;q=0.9"])
        #expect(form.status == 303 && form.location.hasPrefix(stage.sandbox.openID.issuer))
        let answered = try await stage.ada.callback(
            at: form.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        #expect(try await stage.deliver(answered, other).location == "/")
    }

    @Test("texts from requests and configuration are escaped in pages")
    func escaping() async throws {
        let stage = try await WebStage(providers: ["op", "<b>&\"'"])
        let page = try await stage.browser().get("/auth/login?return=%22%3E%3Cscript%3E")
        #expect(page.status == 200 && page.text.contains(">&lt;b&gt;&amp;&quot;&#39;</a>"))
        #expect(!page.text.contains("<b>") && !page.text.contains("<script"))
    }

    @Test("a configured provider can begin a sign-in, by GET only and with a return path of the app")
    func thirdParty() async throws {
        let stage = try await WebStage()
        var configuration = SignInRoutes.Configuration(publicOrigin: WebStage.origin)
        configuration.thirdPartyLogins = [stage.sandbox.openID.issuer: "op"]
        let browser = TestBrowser(try SignInRoutes(sessions: stage.sessions, configuration: configuration))
        let iss = FormEncoding.escape(stage.sandbox.openID.issuer)
        func target(_ text: String) -> String { "/auth/login?iss=\(iss)&target_link_uri=\(FormEncoding.escape(text))" }

        let begun = try await browser.get(target("https://shop.example/sale?x=1"), from: .otherSite)
        #expect(begun.status == 303 && begun.location.hasPrefix(stage.sandbox.openID.issuer))
        let callback = try await stage.ada.callback(
            at: begun.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        #expect(try await stage.deliver(callback, browser).location == "/sale?x=1")
        for (address, page) in [
            ("https://shop.example", "/"), ("https://shop.example?x=1", "/?x=1"),
            ("https://shop.example/auth/logout/done", "/"),
        ] {
            let begun = try await browser.get(target(address), from: .otherSite)
            let callback = try await stage.ada.callback(
                at: begun.location,
                redirectURI: "\(WebStage.origin)/auth/callback/op"
            )
            #expect(try await stage.deliver(callback, browser).location == page)
        }
        for foreign in ["https://shop.example.evil.example/", "https://evil.example/", "//evil.example"] {
            #expect(try await browser.get(target(foreign)).status == 400)
        }
        #expect(
            try await browser.get(target("/sale") + "&login_hint=ada%40shop").location.contains("login_hint=ada%40shop")
        )
        let long = try await browser.get(target("/sale") + "&login_hint=" + String(repeating: "x", count: 257))
        #expect(long.status == 303 && !long.location.contains("login_hint"))
        // The address of another app whose origin begins like this one's is not a path of this app.
        let port = try await browser.get(target("https://shop.example:444/sale"))
        #expect(port.status == 400)
        #expect(try await browser.get("/auth/login?iss=https%3A%2F%2Fevil.example").status == 403)
        let posted = try await browser.post(
            "/auth/login",
            [("iss", stage.sandbox.openID.issuer), ("target_link_uri", "/sale"), ("other", "x")],
            from: .postFromOtherSite
        )
        #expect(posted.status == 303 && posted.location == "/auth/login?iss=\(iss)&target_link_uri=%2Fsale")
        // Without the setting, the parameter has no effect, and a POST is refused.
        let plain = stage.browser()
        #expect(try await plain.get("/auth/login?iss=\(iss)").text.contains("Choose how you want to sign in."))
        #expect(try await plain.post("/auth/login").status == 405)
    }

    @Test("the buttons of two providers say different things, also if both have the same display name")
    func displayNames() async throws {
        let stage = try await WebStage(
            providers: ["op", "second", "shop"],
            displayNames: ["op": "Acme", "second": "Acme"]
        )
        let page = try await stage.browser().get("/auth/login")
        let buttons = page.text.split(separator: "<a class=\"button\"").dropFirst().compactMap { button in
            button.split(separator: "</a>").first?.split(separator: ">").last.map { String($0) }
        }
        #expect(buttons == ["Acme (op)", "Acme (second)", "shop"])
    }

    @Test("with several providers the buyer chooses one")
    func choice() async throws {
        let stage = try await WebStage()
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        let sent = try await browser.get("/orders")
        #expect(sent.status == 303 && sent.location == "/auth/login?return=%2Forders")
        let page = try await browser.get(sent.location)
        #expect(page.text.contains("href=\"/auth/login/op?return=%2Forders\""))
        #expect(page.text.contains("href=\"/auth/login/posted?return=%2Forders\""))
    }
}

extension HTTPHeaders {
    init(_ fields: [String: String]) throws {
        self.init()
        for (name, value) in fields { try append(name, value) }
    }
}
