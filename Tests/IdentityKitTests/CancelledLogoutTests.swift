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

/// A cart at a shop that does not respond until the gate opens.
private final class HangingCart: SessionParticipant {
    let gate = Gate()
    private let count = Mutex(0)
    var ended: Int { count.withLock { $0 } }

    func sessionRefreshed(_ session: Session) async throws {}
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        await gate.wait()
        count.withLock { $0 += 1 }
    }
}

@Suite("Logouts whose caller is cancelled", .timeLimit(.minutes(1)))
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

    @Test("a logout waits only briefly for a cart whose shop does not respond, and drain waits for the cart")
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
}
