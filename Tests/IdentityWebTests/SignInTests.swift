import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
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
        // After a sign-in of another buyer, the browser does not hold that session either.
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
        // A callback with the right state and without a code does not end the sign-in either.
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

}
