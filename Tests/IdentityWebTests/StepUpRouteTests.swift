import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import ShopifyStorefront
import StorefrontSandbox
import Testing

@Suite("Pages that need a recent or a stronger sign-in")
struct StepUpRouteTests {
    private func browser(_ stage: WebStage, maxAge: Duration? = nil, acr: [String] = []) -> TestBrowser {
        TestBrowser(stage.routes) { context in
            let session = try await context.requireSession(maxAge: maxAge, acr: acr)
            return .html(session.buyer.email?.value ?? "")
        }
    }

    private func deliver(
        _ sent: WebResponse,
        _ browser: TestBrowser,
        _ stage: WebStage,
        as buyer: SandboxBuyer
    )
        async throws -> WebResponse
    {
        let callback = try await buyer.callback(
            at: sent.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        return try await stage.deliver(callback, browser)
    }

    @Test("a buyer who signed in too long ago signs in once more, and keeps the cart")
    func age() async throws {
        let stage = try await WebStage(providers: ["op"])
        let browser = browser(stage, maxAge: .seconds(300))
        try await stage.signIn(browser)
        #expect(try await browser.get("/payment").text == stage.ada.email)
        let old = try #require(stage.sessionID(browser))
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: old)

        stage.clock.advance(by: .seconds(600))
        let sent = try await browser.get("/payment?step=2")
        #expect(sent.status == 303 && sent.location.contains("max_age=300"))
        // Until the callback, the old session stays as it is.
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":true"))
        let back = try await deliver(sent, browser, stage, as: stage.ada)
        #expect(back.status == 303 && back.location == "/payment?step=2")
        #expect(try await browser.get("/payment?step=2").text == stage.ada.email)
        let new = try #require(stage.sessionID(browser))
        #expect(new != old)
        #expect(try await stage.sessions.sessions().map(\.id) == [new])
        #expect(try await stage.carts.lines(for: new).map(\.quantity) == [1])
        // A clock that is set back does not make the sign-in recent.
        stage.clock.jump(by: -3_600)
        #expect(try await browser.get("/payment").status == 303)
    }

    @Test(
        "another buyer at a step-up gets no session, the old session stays with its cart, and the page's link leads back"
    )
    func otherBuyer() async throws {
        let stage = try await WebStage(providers: ["op"])
        let browser = browser(stage, maxAge: .seconds(300))
        try await stage.signIn(browser)
        let old = try #require(stage.sessionID(browser))
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: old)
        stage.clock.advance(by: .seconds(600))
        let refused = try await deliver(try await browser.get("/payment"), browser, stage, as: stage.grace)
        #expect(refused.status == 403 && stage.sessionID(browser) == old)
        #expect(refused.text.contains("href=\"/auth/login?return=%2Fpayment\">Sign in again"))
        #expect(try await stage.sessions.session(old).buyer.email?.value == stage.ada.email)
        #expect(try await stage.carts.lines(for: old).map(\.quantity) == [1])
    }

    @Test("after a cancelled step-up, the buyer keeps the session, and the page begins another step-up that leads back")
    func cancelled() async throws {
        let stage = try await WebStage(providers: ["op"])
        let browser = browser(stage, maxAge: .seconds(300))
        try await stage.signIn(browser)
        let old = try #require(stage.sessionID(browser))
        stage.clock.advance(by: .seconds(600))
        let sent = try await browser.get("/payment?step=2")
        let page = try await deliver(sent, browser, stage, as: SandboxBuyer(behaviour: .deny))
        #expect(page.status == 200 && page.text.contains("Sign-in cancelled"))
        #expect(!page.text.contains("not signed in") && stage.sessionID(browser) == old)
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":true"))
        let back = try await deliver(try await browser.get("/payment?step=2"), browser, stage, as: stage.ada)
        #expect(back.location == "/payment?step=2")
        #expect(try await browser.get(back.location).text == stage.ada.email)
    }

    @Test("an authentication context is requested from the provider, and a script gets 401 instead of a redirect")
    func context() async throws {
        let stage = try await WebStage(providers: ["op"], sandbox: { $0.openID.acrValues = ["gold"] })
        let browser = browser(stage, acr: ["gold"])
        try await stage.signIn(browser)
        let script = try await browser.get("/payment", headers: ["Accept": "application/json"])
        #expect(script.status == 401 && script.text.contains("\"code\":\"insufficient_user_authentication\""))
        let sent = try await browser.get("/payment")
        #expect(sent.status == 303 && sent.location.contains("acr_values=gold"))
        #expect(try await deliver(sent, browser, stage, as: stage.ada).location == "/payment")
        #expect(try await browser.get("/payment").text == stage.ada.email)
    }

    @Test("a session whose refresh returned another buyer counts as not signed in")
    func mismatch() async throws {
        let stage = try await WebStage(providers: ["op"], scopes: ["openid", "email", "offline_access"])
        let browser = browser(stage)
        try await stage.signIn(browser)
        let id = try #require(stage.sessionID(browser))
        stage.sandbox.openID.planFault(.idToken { $0.claims["sub"] = .string("user-4711") }, on: .token)
        let error = await #expect(throws: IdentityError.self) {
            _ = try await stage.sessions.refreshTokens(for: id)
        }
        #expect(error?.isAttackSuspected == true)
        #expect(try await stage.sessions.session(id).isAttackSuspected)
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":false"))
        #expect(try await browser.get("/orders").location.hasPrefix(stage.sandbox.openID.issuer))
        try await stage.signIn(browser)
        #expect(try await browser.get("/orders").text == stage.ada.email)
    }
}
