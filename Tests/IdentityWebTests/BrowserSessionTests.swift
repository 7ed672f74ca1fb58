import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestStores
import Testing

@Suite("Guests' carts and earlier sessions at a sign-in")
struct BrowserSessionTests {
    private func lines(_ stage: WebStage, _ id: SessionID) async throws -> [String: Int] {
        let lines = try await stage.carts.lines(for: id)
        return Dictionary(uniqueKeysWithValues: lines.map { ($0.merchandiseID, $0.quantity) })
    }

    @Test("at a sign-in, a guest's cart becomes the buyer's cart", arguments: ["op", "posted"])
    func guest(provider: String) async throws {
        let stage = try await WebStage()
        let carts = stage.carts
        let browser = TestBrowser(stage.routes) { context in
            let session = try await context.beginCartSession()
            _ = try await carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: session.id)
            return .html("added")
        }
        #expect(try await browser.post("/cart/add").status == 200)
        let guest = try #require(browser.value(of: WebStage.guest))
        try await stage.signIn(browser, provider)
        let id = try #require(stage.sessionID(browser))
        #expect(id.rawValue != guest && browser.value(of: WebStage.guest) == nil)
        #expect(try await lines(stage, id) == [WebStage.mug: 1])
        #expect(try await stage.sessions.sessions().map(\.id) == [id])
    }

    @Test(
        "a guest's cart that could not be merged at the sign-in is merged by a later request, also into a newer cart",
        arguments: [false, true]
    )
    func lateMerge(addsLine: Bool) async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        let guest = try await stage.sessions.beginGuest()
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: guest.id)
        browser.plant(WebStage.guest, guest.id.rawValue)
        stage.sandbox.storefront.planFault(.status(503), on: .storefront, times: .max)
        #expect(try await stage.signIn(browser).location == "/orders")
        let id = try #require(stage.sessionID(browser))
        #expect(browser.value(of: WebStage.guest) == guest.id.rawValue)
        stage.sandbox.storefront.removeAllFaults()
        if addsLine { _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.shirt)], for: id) }
        stage.clock.advance(by: .seconds(120))
        _ = try await browser.get("/auth/session")
        #expect(browser.value(of: WebStage.guest) == nil)
        #expect(try await lines(stage, id) == (addsLine ? [WebStage.mug: 1, WebStage.shirt: 1] : [WebStage.mug: 1]))
    }

    @Test("a guest's cart goes to the buyer who signs in, not to another buyer whose session the browser still has")
    func guestBesideOldSession() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        try await stage.signIn(browser)
        let callback = try await stage.begin(browser, as: stage.grace)
        let guest = try await stage.sessions.beginGuest()
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: guest.id)
        browser.plant(WebStage.guest, guest.id.rawValue)
        #expect(try await stage.deliver(callback, browser).location == "/orders")
        let new = try #require(stage.sessionID(browser))
        #expect(try await stage.sessions.session(new).buyer.email?.value == "grace@example.com")
        #expect(try await lines(stage, new) == [WebStage.mug: 1])
        #expect(browser.value(of: WebStage.guest) == nil)
    }

    @Test(
        "a buyer who signs in again gets a new session id and keeps the cart, and the old session ends",
        arguments: ["op", "posted"]
    )
    func sameBuyer(provider: String) async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        try await stage.signIn(browser)
        let old = try #require(stage.sessionID(browser))
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: old)
        try await stage.signIn(browser, provider)
        let new = try #require(stage.sessionID(browser))
        #expect(new != old)
        #expect(try await lines(stage, new) == [WebStage.mug: 1])
        #expect(try await stage.sessions.sessions().map(\.id) == [new])
    }

    @Test("at the tenant's limit of sessions, only a buyer whose session this browser has can sign in")
    func tenantLimit() async throws {
        let stage = try await WebStage(maximumSessionsPerTenant: 1)
        let browser = stage.browser()
        try await stage.signIn(browser)
        let old = try #require(stage.sessionID(browser))
        try await stage.signIn(browser)
        let new = try #require(stage.sessionID(browser))
        #expect(new != old)
        let other = stage.browser()
        _ = try? await stage.signIn(other, as: stage.grace)
        #expect(stage.sessionID(other) == nil)
        #expect(try await stage.sessions.sessions().map(\.id) == [new])
    }

    @Test("a buyer who signs in again after the provider's issuer has changed keeps the cart, and no token is revoked")
    func sameBuyerOfFormerIssuer() async throws {
        let former = "https://old.example"
        let stage = try await WebStage(formerIssuer: former, routes: { $0.maximumSessions = 1 }) {
            $0.openID.supportsRevocation = true
        }
        let browser = stage.browser()
        try await stage.signIn(browser)
        var tokens = try await stage.sessions.tokens(for: try #require(stage.sessionID(browser))).tokens
        tokens.buyer.issuer = former
        let old = try await stage.sessions.establish(tokens, provider: "op").id
        browser.plant(WebStage.session, old.rawValue)
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: old)
        // This sign-in on another device exceeds the maximum.
        _ = try await stage.sessions.establish(tokens, provider: "op")
        try await stage.signIn(browser)
        let new = try #require(stage.sessionID(browser))
        #expect(new != old)
        #expect(try await lines(stage, new) == [WebStage.mug: 1])
        #expect(try await stage.sessions.sessions().map(\.id) == [new])
        #expect(stage.sandbox.openID.counters.revocations == 0)
    }

    @Test("an issuer that counts as the same one at a provider does not for a session of another provider")
    func formerIssuerOfOtherProvider() async throws {
        let former = "https://old.example"
        let stage = try await WebStage(formerIssuer: former)
        let browser = stage.browser()
        try await stage.signIn(browser)
        var tokens = try await stage.sessions.tokens(for: try #require(stage.sessionID(browser))).tokens
        tokens.buyer.issuer = former
        let old = try await stage.sessions.establish(tokens, provider: "posted").id
        browser.plant(WebStage.session, old.rawValue)
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: old)
        try await stage.signIn(browser)
        let new = try #require(stage.sessionID(browser))
        #expect(try await stage.carts.read(for: new) == nil)
        #expect(try await stage.sessions.sessions().allSatisfy { $0.id != old })
    }

    @Test("the maximum of sessions does not count a session of another provider under an equivalent issuer")
    func maximumAtOtherProvider() async throws {
        let former = "https://old.example"
        let stage = try await WebStage(formerIssuer: former, routes: { $0.maximumSessions = 1 })
        let browser = stage.browser()
        try await stage.signIn(browser)
        var tokens = try await stage.sessions.tokens(for: try #require(stage.sessionID(browser))).tokens
        tokens.buyer.issuer = former
        let other = try await stage.sessions.establish(tokens, provider: "posted").id
        try await stage.signIn(browser)
        let new = try #require(stage.sessionID(browser))
        #expect(try await Set(stage.sessions.sessions().map(\.id)) == [other, new])
    }

    @Test("a buyer who signs in again after the order gets a new session without a cart, and the old session ends")
    func sameBuyerAfterOrder() async throws {
        let seen = EventLog()
        let stage = try await WebStage(bridge: seen.bridge, sandbox: { $0.openID.supportsRevocation = true })
        let browser = stage.browser()
        try await stage.signIn(browser)
        let old = try #require(stage.sessionID(browser))
        let cart = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: old).cart
        stage.sandbox.storefront.removeCart(cart.id.rawValue)
        try await stage.signIn(browser)
        let new = try #require(stage.sessionID(browser))
        #expect(try await stage.sessions.sessions().map(\.id) == [new])
        #expect(try await stage.carts.read(for: new) == nil)
        #expect(seen.all.contains { $0.name == "identity_session_replaced" })
        #expect(stage.sandbox.openID.counters.revocations == 0)
    }

    @Test("if the cart cannot be moved to the new session, an event reports it, and the old session keeps the cart")
    func cartStays() async throws {
        let seen = EventLog()
        let stage = try await WebStage(bridge: seen.bridge)
        let browser = stage.browser()
        try await stage.signIn(browser)
        let old = try #require(stage.sessionID(browser))
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: old)
        stage.sandbox.storefront.planFault(.status(503), on: .storefront, times: .max)
        #expect(try await stage.signIn(browser).location == "/orders")
        let new = try #require(stage.sessionID(browser))
        #expect(try await Set(stage.sessions.sessions().map(\.id)) == [old, new])
        let event = seen.all.first { $0.name == "identity_participant_failed" }
        #expect(event?.metadata.first { $0.name == "session" }?.value == old.reference.rawValue)
        stage.sandbox.storefront.removeAllFaults()
        stage.clock.advance(by: .seconds(120))
        #expect(try await lines(stage, old) == [WebStage.mug: 1])
    }

    @Test(
        "a guest's cart with a line that the shop refuses is merged once, and a line that the buyer removes stays away"
    )
    func partialMerge() async throws {
        let stage = try await WebStage(merge: .intoCustomerCart)
        try await stage.signIn(stage.browser())
        let earlier = try #require(try await stage.sessions.sessions().first?.id)
        _ = try await stage.carts.create(for: earlier)
        let browser = stage.browser()
        let guest = try await stage.sessions.beginGuest().id
        let input = [WebStage.mug, WebStage.shirt].map { CartLineInput(merchandiseID: $0) }
        _ = try await stage.carts.add(input, for: guest)
        browser.plant(WebStage.guest, guest.rawValue)
        stage.sandbox.storefront.refuseLines(WebStage.shirt, after: WebStage.mug)
        try await stage.signIn(browser)
        let id = try #require(stage.sessionID(browser))
        #expect(try await lines(stage, id) == [WebStage.mug: 1])
        #expect(browser.value(of: WebStage.guest) == nil)
        let line = try #require(try await stage.carts.lines(for: id).first?.id)
        _ = try await stage.carts.remove(lineIDs: [line], for: id)
        let calls = stage.sandbox.storefront.requests.count
        // Another tab may still send the guest's cookie.
        browser.plant(WebStage.guest, guest.rawValue)
        _ = try await browser.get("/auth/session")
        #expect(try await lines(stage, id).isEmpty)
        _ = try await browser.get("/auth/session")
        let added = stage.sandbox.storefront.requests.dropFirst(calls).filter { $0.bodyText.contains("cartLinesAdd(") }
        #expect(added.allSatisfy { !$0.bodyText.contains(WebStage.mug) })
        #expect(added.count <= 1)
    }

    @Test(
        "if another buyer signs in, the old session ends, and its cart and data do not reach the new session",
        arguments: ["op", "posted"]
    )
    func otherBuyer(provider: String) async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        try await stage.signIn(browser)
        let old = try #require(stage.sessionID(browser))
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: old)
        try await stage.signIn(browser, provider, as: stage.grace)
        let new = try #require(stage.sessionID(browser))
        #expect(try await stage.sessions.session(new).buyer.email?.value == "grace@example.com")
        #expect(try await lines(stage, new).isEmpty)
        #expect(try await stage.sessions.sessions().map(\.id) == [new])
    }

    @Test("a session that ended in the store counts as signed out")
    func ended() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        try await stage.signIn(browser)
        _ = try await stage.sessions.logout(try #require(stage.sessionID(browser)))
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":false"))
        // A guest's id in the cookie of the session signs no buyer in.
        browser.plant(WebStage.session, try await stage.sessions.beginGuest().id.rawValue)
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":false"))
    }

    @Test("a damaged session does not stop a sign-in or a sign-out of its browser, but an outage of the store does")
    func damagedSession() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        try await stage.signIn(browser)
        let old = try #require(stage.sessionID(browser))
        stage.store.damage(old)
        let failed = try await browser.get("/auth/session")
        #expect(failed.status == 500 && failed.text.contains("href=\"/auth/login\""))
        let callback = try await stage.begin(browser)
        stage.store.isBroken = true
        #expect(try await stage.deliver(callback, browser).status == 503)
        stage.store.isBroken = false
        #expect(try await stage.deliver(callback, browser).location == "/orders")
        let new = try #require(stage.sessionID(browser))
        #expect(new != old)
        stage.store.damage(new)
        let answer = try await browser.post("/auth/logout")
        #expect(answer.status == 303 && answer.location == "/auth/logout/done")
        #expect(browser.value(of: WebStage.session) == nil)
    }

    @Test("the session route tells a script who is signed in, and contains no token")
    func json() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        #expect(try await browser.get("/auth/session").text == "{\"signed_in\":false}")
        try await stage.signIn(browser)
        let answer = try await browser.get("/auth/session")
        #expect(answer.headers["Cache-Control"] == "private, no-store" && answer.headers["Vary"] == "Cookie")
        let value = try JSONValue(parsing: answer.body)
        #expect(value["signed_in"]?.bool == true && value["provider"]?.string == "op")
        let names = Set(value.object?.members.map(\.name) ?? [])
        #expect(names.isSubset(of: ["signed_in", "provider", "name", "expires_at", "csrf_token"]))
        let tokens = try await stage.sessions.tokens(for: try #require(stage.sessionID(browser))).tokens
        #expect(!answer.text.contains(tokens.accessToken.reveal()))
        let id = try #require(stage.sessionID(browser))
        #expect(!answer.text.contains(id.rawValue))
    }
}
