import IdentityKit
import IdentityTesting
import Synchronization

/// One of several machines that share a store.
///
/// Its locks can be lost, and it has its own spool.
final class LeasedNode: WrappingStore, SessionSpooling {
    /// The state that all machines share: the holders of the leases, and whether the store is reachable.
    final class Shared: Sendable {
        private let state = Mutex((isDown: false, isFull: false, holders: [LockName: Int](), nextTicket: 0))

        func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
        /// Reads succeed and writes fail.
        func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }
        var isFull: Bool { state.withLock { $0.isFull } }
        var isDown: Bool { state.withLock { $0.isDown } }

        /// The lease ends although its holder runs.
        func loseLease(of id: SessionID) { state.withLock { $0.holders[.session(id)] = nil } }

        fileprivate func take(_ name: LockName) -> Int? {
            state.withLock { state in
                guard !state.isDown, state.holders[name] == nil else { return nil }
                state.nextTicket += 1
                state.holders[name] = state.nextTicket
                return state.nextTicket
            }
        }

        fileprivate func isHeld(_ name: LockName, by ticket: Int) -> Bool {
            state.withLock { $0.holders[name] == ticket }
        }

        fileprivate func release(_ name: LockName, by ticket: Int) {
            state.withLock { if $0.holders[name] == ticket { $0.holders[name] = nil } }
        }
    }

    let inner: InMemoryStore
    let guaranteedLockDuration: Duration?
    private let shared: Shared
    private let state = Mutex((spool: [SessionID: StoredSession](), before: [@Sendable () async throws -> Void]()))

    init(_ inner: InMemoryStore, _ shared: Shared, guaranteedLockDuration: Duration? = .seconds(8)) {
        self.inner = inner
        self.shared = shared
        self.guaranteedLockDuration = guaranteedLockDuration
    }

    /// Runs an action before each of the next replacements.
    func before(_ steps: (@Sendable () async throws -> Void)...) { state.withLock { $0.before = steps } }
    var spooled: [SessionID] { state.withLock { Array($0.spool.keys) } }

    private func reach() throws {
        guard !shared.isDown else { throw IdentityError(.retryLater, .storeUnavailable, "Down.") }
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try reach()
        guard let ticket = shared.take(name) else { throw IdentityError(.retryLater, .refreshBusy, "Held.") }
        defer { shared.release(name, by: ticket) }
        return try await body(HeldLock { [shared] in shared.isHeld(name, by: ticket) ? .seconds(12) : .zero })
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        try reach()
        return try await inner.session(id)
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let step = state.withLock { $0.before.isEmpty ? nil : $0.before.removeFirst() }
        try await step?()
        try reach()
        guard !shared.isFull else { throw IdentityError(.retryLater, .storeFull, "Full.") }
        return try await inner.replace(session, expecting: generation)
    }

    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try reach()
        return try await inner.sessions(matching: filter)
    }

    func spool(_ session: StoredSession) async throws { state.withLock { $0.spool[session.id] = session } }
    func spooledSession(_ id: SessionID) async throws -> StoredSession? { state.withLock { $0.spool[id] } }
    func spooledSessions() async throws -> [StoredSession] { state.withLock { Array($0.spool.values) } }
    func removeSpooledSession(_ id: SessionID) async throws { state.withLock { $0.spool[id] = nil } }
}
