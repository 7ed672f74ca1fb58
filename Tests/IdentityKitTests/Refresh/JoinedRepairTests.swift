import IdentityKit
import IdentityTesting
import Synchronization
import Testing

@Suite("Calls that join a repair")
struct JoinedRepairTests {
    @Test(
        "a call that joins a repair, which does not wait for the lock, waits for the lock itself",
        .timeLimit(.minutes(1))
    )
    func ownLimit() async throws {
        let world = RefreshFixture()
        world.provider.setGrace(600)
        let id = try await world.expiredSession()
        try await world.die(at: id)
        let store = ImpatientRepairs(world.memory)
        let manager = try world.manager(store)
        let repair = Task { try await manager.repair() }
        while !store.isRepairing { try await Task.sleep(for: .milliseconds(1)) }
        let reads = store.reads
        let call = Task { try await manager.tokens(for: id) }
        while store.reads == reads { try await Task.sleep(for: .milliseconds(1)) }
        // The call has read the session. It joins the repair next.
        try await Task.sleep(for: .milliseconds(50))
        store.release()
        #expect(try await repair.value.busy == 1)
        #expect(try await call.value.tokens.accessToken.reveal() == "access-2")
    }
}

/// A store in which the lock is busy for a call that does not wait for it; that call ends when the test releases it.
private final class ImpatientRepairs: WrappingStore {
    let inner: InMemoryStore
    private let state = Mutex((isRepairing: false, isReleased: false, reads: 0))

    init(_ inner: InMemoryStore) { self.inner = inner }

    var isRepairing: Bool { state.withLock { $0.isRepairing } }
    var reads: Int { state.withLock { $0.reads } }
    func release() { state.withLock { $0.isReleased = true } }

    func session(_ id: SessionID) async throws -> StoredSession? {
        state.withLock { $0.reads += 1 }
        return try await inner.session(id)
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        guard limit == .zero else { return try await body(.untilProcessEnds) }
        state.withLock { $0.isRepairing = true }
        while !state.withLock({ $0.isReleased }) { try await Task.sleep(for: .milliseconds(1)) }
        throw IdentityError(.retryLater, .refreshBusy, "Held.")
    }
}
