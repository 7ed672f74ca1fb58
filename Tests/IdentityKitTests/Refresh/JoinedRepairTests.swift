import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Calls that join a repair")
struct JoinedRepairTests {
    @Test(
        "a call that joins a repair, which does not wait for the lock, waits for the lock itself",
        .timeLimit(.minutes(5))
    )
    func ownLimit() async throws {
        // The call has waited 5 of its 15 seconds for the repair.
        let expected: [Duration] = [.zero, .seconds(10)]
        var limits: [Duration] = []
        // On a busy machine the call may begin only when the repair has ended. Then a longer pause is needed.
        for pause in [50, 1_000, 20_000] where limits != expected {
            limits = try await limitsOfJoinedCall(joiningWithin: .milliseconds(pause))
        }
        #expect(limits == expected)
    }

    /// Starts a call during a repair, and returns how long the repair and the call would have waited for the lock.
    private func limitsOfJoinedCall(joiningWithin pause: Duration) async throws -> [Duration] {
        let world = RefreshStage()
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
        try await Task.sleep(for: pause)
        world.clock.advance(by: .seconds(5))
        store.release()
        #expect(try await repair.value.busy == 1)
        #expect(try await call.value.tokens.accessToken.reveal() == "access-2")
        return store.limits
    }

    @Test("a call fails at once if it joins a refresh that has exceeded its time limit", .timeLimit(.minutes(5)))
    func exceededTimeLimit() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        var limits = SessionManager.RefreshLimits()
        limits.maximumWait = .milliseconds(20)
        let manager = try world.manager(limits: limits)
        let gate = Gate()
        world.provider.hold { await gate.wait() }
        let first = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        let begun = world.clock.elapsed
        let second = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(first?.code == .refreshBusy && second?.code == .refreshBusy)
        #expect(world.clock.elapsed == begun)
        // The time limit may end the waits before the refresh has begun.
        while world.provider.requests == 0 { try await Task.sleep(for: .milliseconds(1)) }
        gate.open()
        await manager.drain()
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
    }

    @Test("calls do not repeat a refresh that the full queue of the provider turned away", .timeLimit(.minutes(5)))
    func fullQueue() async throws {
        var count = Int.max
        // If each call repeated the refresh that it joined, there would be eight refreshes. A call that joins too late starts a second
        // refresh, which a longer pause prevents on a busy machine.
        for pause in [500, 5_000, 20_000] where count > 1 + 4 {
            count = try await locksOfEightCalls(joiningWithin: .milliseconds(pause))
        }
        #expect(count <= 1 + 4)
    }

    /// Lets the full queue turn away the refresh of eight calls, and returns how often a refresh asked for a lock.
    private func locksOfEightCalls(joiningWithin pause: Duration) async throws -> Int {
        let world = RefreshStage()
        let other = try await world.expiredSession("other")
        let id = try await world.expiredSession()
        var limits = SessionManager.RefreshLimits()
        (limits.concurrent, limits.waiting) = (1, 0)
        let store = ImpatientRepairs(world.memory)
        let manager = try world.manager(store, limits: limits)
        let requestGate = Gate()
        world.provider.hold { await requestGate.wait() }
        let running = Task { try await manager.tokens(for: other) }
        while world.provider.requests == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let lockGate = Gate()
        store.hold(lockGate)
        let reads = store.reads
        Task {
            // The others join the refresh of the first call meanwhile. They share a few reads, so the reads do not count the calls.
            while store.reads == reads { try await Task.sleep(for: .milliseconds(1)) }
            try await Task.sleep(for: pause)
            lockGate.open()
        }
        await withTaskGroup(of: IdentityError.Code?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do {
                        _ = try await manager.tokens(for: id)
                        return nil
                    } catch { return IdentityError.code(of: error) }
                }
            }
            for await code in group { #expect(code == .refreshBusy) }
        }
        let count = store.limits.count
        requestGate.open()
        _ = try await running.value
        return count
    }
}

/// A store in which the lock is busy for a call that does not wait for it; that call ends when the test releases it.
private final class ImpatientRepairs: WrappingStore {
    let inner: InMemoryStore
    private let state = Mutex(
        (isRepairing: false, isReleased: false, reads: 0, limits: [Duration](), gate: nil as Gate?)
    )

    init(_ inner: InMemoryStore) { self.inner = inner }

    var isRepairing: Bool { state.withLock { $0.isRepairing } }
    var reads: Int { state.withLock { $0.reads } }
    /// How long each caller would have waited for the lock.
    var limits: [Duration] { state.withLock { $0.limits } }
    func release() { state.withLock { $0.isReleased = true } }
    /// Makes the next holders of a lock wait.
    func hold(_ gate: Gate) { state.withLock { $0.gate = gate } }

    func session(_ id: SessionID) async throws -> StoredSession? {
        state.withLock { $0.reads += 1 }
        return try await inner.session(id)
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        state.withLock { $0.limits.append(limit) }
        await state.withLock(\.gate)?.wait()
        guard limit == .zero else { return try await body(.untilProcessEnds) }
        state.withLock { $0.isRepairing = true }
        while !state.withLock({ $0.isReleased }) { try await Task.sleep(for: .milliseconds(1)) }
        throw IdentityError(.retryLater, .refreshBusy, "Held.")
    }
}
