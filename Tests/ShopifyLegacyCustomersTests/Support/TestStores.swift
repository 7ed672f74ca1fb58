import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles

/// A store in which saves of existing sessions fail while a test wants that.
final class FailingStore: WrappingStore {
    private struct Failure: Error {}

    let inner = InMemoryStore()
    private let fails = Mutex(false)

    func fail(_ value: Bool) { fails.withLock { $0 = value } }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        if fails.withLock({ $0 }) { throw Failure() }
        return try await inner.replace(session, expecting: generation)
    }
}

/// A store that notes at the first request of a lock whether the lock is free, and then opens a gate.
final class LockNotingStore: WrappingStore {
    let inner: InMemoryStore
    private let gate: Gate
    private let firstWasFree = Mutex<Bool?>(nil)

    init(inner: InMemoryStore, gate: Gate) {
        self.inner = inner
        self.gate = gate
    }

    var isFirstLockFree: Bool? { firstWasFree.withLock { $0 } }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        if isFirstLockFree == nil {
            let isFree = (try? await inner.withLock(name, waitingUpTo: .zero) { _ in true }) ?? false
            firstWasFree.withLock { $0 = isFree }
        }
        gate.open()
        return try await inner.withLock(name, waitingUpTo: limit, body)
    }
}
