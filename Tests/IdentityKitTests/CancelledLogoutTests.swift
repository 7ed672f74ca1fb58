import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A cart that fails in a cancelled task.
private final class UncancelledCart: SessionParticipant {
    private let count = Mutex(0)
    var ended: Int { count.withLock { $0 } }

    func sessionRefreshed(_ session: Session) async throws {}
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        try Task.checkCancellation()
        count.withLock { $0 += 1 }
    }
}

/// A cart whose shop does not respond until the gate opens.
///
/// The test opens the gate, or the `expected`-th call of `sessionEnded`.
private final class HangingCart: SessionParticipant {
    let gate = Gate()
    private let expected: Int
    private let count = Mutex((begun: 0, ended: 0))
    private let work: @Sendable () async throws -> Void
    var ended: Int { count.withLock { $0.ended } }

    init(opensAt expected: Int = .max, work: @escaping @Sendable () async throws -> Void = {}) {
        self.expected = expected
        self.work = work
    }

    func sessionRefreshed(_ session: Session) async throws {}
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        let begun = count.withLock { count in
            count.begun += 1
            return count.begun
        }
        if begun == expected { gate.open() }
        await gate.wait()
        try await work()
        count.withLock { $0.ended += 1 }
    }
}

@Suite("Logouts whose caller is cancelled", .timeLimit(.minutes(5)))
struct CancelledLogoutTests {
    /// Runs an operation in a task that is already cancelled.
    private func cancelled<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await body()
        }
        task.cancel()
        return try await task.value
    }

    @Test("carts are detached and tokens revoked although the caller of the logout was cancelled")
    func finished() async throws {
        let stage = try LogoutStage()
        stage.provider.onRevocation { _ in try Task.checkCancellation() }
        let cart = UncancelledCart()
        stage.manager.add(cart)
        let session = try await stage.signIn()
        let one = try await cancelled { try await stage.manager.logout(session) }
        #expect(one.problems.isEmpty)
        #expect(cart.ended == 1)
        _ = try await stage.signIn()
        let all = try await cancelled {
            try await stage.manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        }
        #expect(all.map(\.problems.count) == [0])
        #expect(cart.ended == 2)
        _ = try await stage.signIn()
        let body = Array("logout_token=\(stage.provider.announce())".utf8)
        let told = try await cancelled {
            await stage.manager.backChannelLogout(
                provider: "leaving",
                body: body,
                contentType: "application/x-www-form-urlencoded"
            )
        }
        #expect(told.status == 200)
        #expect(told.problems.isEmpty)
        #expect(cart.ended == 3)
    }

    @Test(
        "a logout waits at most `participantWait` for a cart whose shop does not respond, and drain waits for the cart"
    )
    func hangingCart() async throws {
        var configuration = SessionManager.Configuration()
        configuration.participantWait = .milliseconds(20)
        let stage = try LogoutStage(configuration: configuration)
        let cart = HangingCart()
        stage.manager.add(cart)
        let result = try await stage.manager.logout(try await stage.signIn())
        #expect(result.problems.map(\.code) == [.providerUnavailable] && result.browserURL != nil)
        #expect(cart.ended == 0)
        cart.gate.open()
        _ = await stage.manager.drain()
        #expect(cart.ended == 1)
    }

    @Test("the carts of a buyer's sessions are detached concurrently")
    func concurrentCarts() async throws {
        let stage = try LogoutStage()
        let cart = HangingCart(opensAt: 3)
        stage.manager.add(cart)
        for _ in 0..<3 { _ = try await stage.signIn() }
        let all = try await stage.manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        #expect(all.map(\.problems.count) == [0, 0, 0] && cart.ended == 3)
    }

    @Test("drain waits for the revocation of a logout whose caller was cancelled")
    func drainedRevocation() async throws {
        let stage = try LogoutStage()
        let arrived = Gate()
        let isRevoked = Mutex(false)
        stage.provider.onRevocation { _ in
            arrived.open()
            try await Task.sleep(for: .milliseconds(50))
            isRevoked.withLock { $0 = true }
        }
        let session = try await stage.signIn()
        let logout = Task { try await stage.manager.logout(session) }
        await arrived.wait()
        logout.cancel()
        _ = await stage.manager.drain()
        #expect(isRevoked.withLock { $0 })
    }

    @Test("drain waits for a refresh that a cart starts while it is detached")
    func refreshOfCart() async throws {
        var configuration = SessionManager.Configuration()
        configuration.participantWait = .milliseconds(20)
        let stage = try LogoutStage(configuration: configuration)
        let (session, other) = (try await stage.signIn(), try await stage.signIn())
        stage.clock.advance(by: .seconds(3300))
        let isRefreshed = Mutex(false)
        stage.provider.inner.hold {
            try? await Task.sleep(for: .milliseconds(50))
            isRefreshed.withLock { $0 = true }
        }
        let cart = HangingCart { [manager = stage.manager] in
            // The token is still valid, so this starts a refresh in the background.
            _ = try await manager.tokens(for: other)
        }
        stage.manager.add(cart)
        _ = try await stage.manager.logout(session)
        cart.gate.open()
        _ = await stage.manager.drain()
        #expect(isRefreshed.withLock { $0 } && stage.provider.inner.refreshes == 1)
    }
}
