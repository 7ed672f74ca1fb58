import IdentityKit
import IdentityTesting
import IdentityWeb
import Synchronization
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
        // A new sign-in tries it at once.
        try await stage.signIn(browser)
        #expect(carts.merges == 3)
        carts.recover()
        stage.clock.advance(by: .seconds(30))
        _ = try await browser.get("/auth/session")
        #expect(carts.merges == 4 && browser.value(of: WebStage.guest) == nil)
    }
}
