import IdentityKit
import IdentityTesting
import IdentityWeb
import Synchronization
import TestDoubles
import Testing

@Suite("Requests after a failed merge of a guest's cart")
struct MergeRetryTests {
    /// Carts of a shop that can be down.
    private final class CountedCarts: SignInCarts {
        private let state = Mutex((merges: 0, isDown: true))

        var merges: Int { state.withLock(\.merges) }
        func recover() { state.withLock { $0.isDown = false } }

        func mergeCart(ofGuest guest: SessionID, into session: SessionID) async throws -> Bool {
            let isDown = state.withLock { state in
                state.merges += 1
                return state.isDown
            }
            guard !isDown else { throw IdentityError(.retryLater, .providerUnavailable, "The shop is down.") }
            return true
        }

        func moveCart(of old: SessionID, to session: SessionID) async throws {}
    }

    /// Carts of a shop that does not respond until the gate opens.
    private final class HangingCarts: SignInCarts {
        let gate = Gate()
        private let state = Mutex(0)
        var merges: Int { state.withLock(\.self) }

        func mergeCart(ofGuest guest: SessionID, into session: SessionID) async throws -> Bool {
            state.withLock { $0 += 1 }
            await gate.wait()
            return true
        }

        func moveCart(of old: SessionID, to session: SessionID) async throws { await gate.wait() }
    }

    @Test("a sign-in waits only briefly for the carts, which are moved and merged later, once")
    func hangingCarts() async throws {
        let stage = try await WebStage(manager: { $0.participantWait = .milliseconds(20) })
        let carts = HangingCarts()
        var configuration = SignInRoutes.Configuration(publicOrigin: WebStage.origin)
        configuration.maximumSessions = 2
        let routes = try SignInRoutes(sessions: stage.sessions, carts: carts, configuration: configuration)
        let (phone, browser) = (TestBrowser(routes), TestBrowser(routes))
        try await stage.signIn(phone)
        browser.plant(WebStage.guest, try await stage.sessions.beginGuest().id.rawValue)
        try await stage.signIn(browser)
        let first = try #require(stage.sessionID(browser))
        stage.clock.advance(by: .seconds(30))
        for _ in 0..<3 { _ = try await browser.get("/auth/session") }
        // The sign-in may return before its merge has started.
        for _ in 0..<12_000 where carts.merges == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(carts.merges == 1)
        // The same buyer signs in again, so the first session's cart has to move. The first session still exists, but it must not count.
        #expect(try await stage.signIn(browser).status == 303)
        let second = try #require(stage.sessionID(browser))
        #expect(second != first && browser.value(of: WebStage.guest) != nil)
        carts.gate.open()
        _ = await stage.sessions.drain()
        let left = try await stage.sessions.sessions().filter { !$0.isGuest }.map(\.id)
        #expect(Set(left) == [second, try #require(stage.sessionID(phone))])
        #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":true"))
        #expect(browser.value(of: WebStage.guest) == nil)
    }

    @Test("the merge is not tried again for 30 seconds, and then by one of several requests")
    func pause() async throws {
        let stage = try await WebStage()
        let carts = CountedCarts()
        let routes = try SignInRoutes(
            sessions: stage.sessions,
            carts: carts,
            configuration: .init(publicOrigin: WebStage.origin)
        )
        let browser = TestBrowser(routes)
        browser.plant(WebStage.guest, try await stage.sessions.beginGuest().id.rawValue)
        try await stage.signIn(browser)
        #expect(carts.merges == 1 && browser.value(of: WebStage.guest) != nil)
        for _ in 0..<3 { #expect(try await browser.get("/auth/session").text.contains("\"signed_in\":true")) }
        #expect(carts.merges == 1)
        stage.clock.advance(by: .seconds(30))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { _ = try await browser.get("/auth/session") } }
            try await group.waitForAll()
        }
        #expect(carts.merges == 2)
        // A new sign-in tries the merge at once.
        try await stage.signIn(browser)
        #expect(carts.merges == 3)
        carts.recover()
        stage.clock.advance(by: .seconds(30))
        _ = try await browser.get("/auth/session")
        #expect(carts.merges == 4 && browser.value(of: WebStage.guest) == nil)
    }
}
