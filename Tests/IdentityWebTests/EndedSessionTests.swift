import IdentityKit
import IdentitySandbox
import IdentityWeb
import ShopifyStorefront
import StorefrontSandbox
import Testing

@Suite("A sign-in in a browser whose session the provider has ended")
struct EndedSessionTests {
    /// A browser whose session has a cart and was ended by the provider.
    private func endedSession(_ stage: WebStage) async throws -> (browser: TestBrowser, id: SessionID, cart: CartID) {
        let browser = stage.browser()
        try await stage.signIn(browser)
        let id = try #require(stage.sessionID(browser))
        let cart = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: id).cart.id
        stage.sandbox.openID.revokeAll()
        await #expect(throws: IdentityError.self) { try await stage.sessions.refreshTokens(for: id) }
        #expect(try await stage.sessions.session(id).endReason == .revoked)
        return (browser, id, cart)
    }

    private func stage(_ seen: EventLog) async throws -> WebStage {
        try await WebStage(scopes: ["openid", "email", "offline_access"], bridge: seen.bridge)
    }

    @Test("the same buyer keeps the cart, and the old session is replaced", arguments: ["op", "posted"])
    func sameBuyer(provider: String) async throws {
        let seen = EventLog()
        let stage = try await stage(seen)
        let (browser, old, cart) = try await endedSession(stage)
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":false"))
        #expect(try await stage.signIn(browser, provider).location == "/orders")
        let new = try #require(stage.sessionID(browser))
        #expect(try await stage.carts.read(for: new)?.cart.id == cart)
        #expect(try await stage.sessions.sessions().map(\.id) == [new])
        #expect(seen.all.contains { $0.name == "identity_session_replaced" })
        #expect(old != new)
    }

    @Test("the same buyer's cart gets the lines of the guest's cart that the browser had after the end")
    func guestAfterEnd() async throws {
        let stage = try await stage(EventLog())
        let (browser, _, cart) = try await endedSession(stage)
        let guest = try await stage.sessions.beginGuest()
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.shirt)], for: guest.id)
        browser.plant(WebStage.guest, guest.id.rawValue)
        #expect(try await stage.signIn(browser).location == "/orders")
        let new = try #require(stage.sessionID(browser))
        #expect(try await stage.carts.read(for: new)?.cart.id == cart)
        #expect(Set(try await stage.carts.lines(for: new).map(\.merchandiseID)) == [WebStage.mug, WebStage.shirt])
    }

    @Test("another buyer does not get the cart, and the old session ends", arguments: ["op", "posted"])
    func otherBuyer(provider: String) async throws {
        let stage = try await stage(EventLog())
        let (browser, _, _) = try await endedSession(stage)
        try await stage.signIn(browser, provider, as: stage.grace)
        let new = try #require(stage.sessionID(browser))
        #expect(try await stage.sessions.sessions().map(\.id) == [new])
        #expect(try await stage.carts.read(for: new) == nil)
    }

    @Test("the repeated callback of its sign-in leads to the page of an expired sign-in")
    func repeatedCallback() async throws {
        let stage = try await stage(EventLog())
        let browser = stage.browser()
        let callback = try await stage.begin(browser)
        #expect(try await stage.deliver(callback, browser).location == "/orders")
        let id = try #require(stage.sessionID(browser))
        stage.sandbox.openID.revokeAll()
        await #expect(throws: IdentityError.self) { try await stage.sessions.refreshTokens(for: id) }
        #expect(try await stage.deliver(callback, browser).status == 400)
    }
}
