import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization

/// A store with locks and a spool, whose writes and reads can fail.
final class SpoolingStore: WrappingStore, OptionalSpooling, ExpirySweeping {
    let inner: InMemoryStore
    let hasSpool: Bool
    private let state = Mutex(
        (
            replacements: Int.max, spooled: [SessionID: StoredSession](), damaged: Set<SessionID>(),
            reads: 0, isSpoolBroken: false, isSpoolListBroken: false, areSpoolReadsBroken: false,
            areReadsBroken: false, areListsBroken: false
        )
    )

    init(_ inner: InMemoryStore, hasSpool: Bool = true) {
        self.inner = inner
        self.hasSpool = hasSpool
    }

    /// Sets the number of replacements that succeed from now on.
    func allow(_ count: Int) { state.withLock { $0.replacements = count } }
    func breakReads(_ areBroken: Bool) { state.withLock { $0.areReadsBroken = areBroken } }
    /// Reads of these sessions fail, as if their rows were damaged.
    func damage(_ ids: SessionID...) { state.withLock { $0.damaged = Set(ids) } }
    func breakLists() { state.withLock { $0.areListsBroken = true } }
    func breakSpoolList() { state.withLock { $0.isSpoolListBroken = true } }
    /// Reads of single sessions from the spool fail.
    func breakSpoolReads(_ areBroken: Bool) { state.withLock { $0.areSpoolReadsBroken = areBroken } }
    /// Makes the spool read-only.
    func breakSpool() { state.withLock { $0.isSpoolBroken = true } }
    /// The number of sessions that were read.
    var reads: Int { state.withLock { $0.reads } }
    var spooled: [SessionID] { state.withLock { Array($0.spooled.keys) } }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let works = state.withLock { state in
            guard state.replacements > 0 else { return false }
            state.replacements -= 1
            return true
        }
        guard works else { throw IdentityError(.retryLater, .storeFull, "Full.") }
        return try await inner.replace(session, expecting: generation)
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        let isBroken = state.withLock { state in
            state.reads += 1
            return state.areReadsBroken
        }
        guard !isBroken else { throw IdentityError(.retryLater, .storeFailed, "Down.") }
        guard !state.withLock({ $0.damaged.contains(id) }) else {
            throw IdentityError(.configuration, .storeCorrupt, "Damaged.")
        }
        return try await inner.session(id)
    }

    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        guard !state.withLock({ $0.areListsBroken }) else { throw IdentityError(.retryLater, .storeFailed, "Down.") }
        return try await inner.sessions(matching: filter)
    }

    func sweep(expiredBefore time: Date) async throws -> Int { try await inner.sweep(expiredBefore: time) }

    /// Excludes no caller, which is sufficient because only one process works at a time.
    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await body(.untilProcessEnds)
    }

    func spool(_ session: StoredSession) async throws { try changeSpool(of: session.id, to: session) }
    func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try state.withLock { state in
            guard !state.areSpoolReadsBroken else { throw IdentityError(.retryLater, .storeFailed, "Too many files.") }
            return state.spooled[id]
        }
    }
    func spooledSessions() async throws -> [StoredSession] {
        try state.withLock { state in
            guard !state.isSpoolListBroken else { throw IdentityError(.configuration, .storeFailed, "Refused.") }
            return Array(state.spooled.values)
        }
    }
    func removeSpooledSession(_ id: SessionID) async throws { try changeSpool(of: id, to: nil) }

    private func changeSpool(of id: SessionID, to session: StoredSession?) throws {
        guard hasSpool else { throw IdentityError(.configuration, .configurationInvalid, "No spool.") }
        let isBroken = state.withLock { state in
            if !state.isSpoolBroken { state.spooled[id] = session }
            return state.isSpoolBroken
        }
        if isBroken { throw IdentityError(.retryLater, .storeFull, "Full.") }
    }
}
