internal import IdentityKit
internal import IdentityTesting

/// A store that reports every claim and every durable response; a kill in between may lose the session.
struct ReportingStore<Inner: SessionStore>: SpoolingWrapper {
    let inner: Inner

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let isClaim = session.isInDoubt && !session.holdsResponse
        let name = session.id.rawValue
        // Report before the write, because a kill during the write may leave it committed.
        if isClaim { Report.line("claim \(name) \(session.generation)") }
        OrderCheckingProvider.journal?.note(isClaim ? .claimed : .written)
        let isReplaced = try await inner.replace(session, expecting: generation)
        guard isReplaced, !isClaim else { return isReplaced }
        // The row of an ended session contains no tokens.
        if !session.isOver { Report.line("kept \(name) \(session.generation)") }
        if Int.random(in: 0..<8) == 0 { try await offerStale(session) }
        return isReplaced
    }

    /// Attempts a save with an old generation, like a process that missed the last change: the store must refuse the save.
    private func offerStale(_ session: StoredSession) async throws {
        var stale = session
        stale.generation -= 1
        if try await inner.replace(stale, expecting: session.generation - 2) {
            Report.line("broken \(session.id.rawValue) stale-generation-saved")
        }
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        guard case .session(let id) = name else { return try await inner.withLock(name, waitingUpTo: limit, body) }
        return try await inner.withLock(name, waitingUpTo: limit) { lock in
            // The times come from one clock, because lines of two processes arrive in any order.
            Report.line("locked \(id.rawValue) \(MonotonicTime.now)")
            defer { Report.line("unlocked \(id.rawValue) \(MonotonicTime.now)") }
            return try await OrderCheckingProvider.$journal.withValue(.init(id)) { try await body(lock) }
        }
    }
}

extension StoredSession {
    var isOver: Bool {
        RecordReader(payload)?["state"]?.string == "ended"
    }

    /// Whether the session contains a response that is not validated yet.
    var holdsResponse: Bool {
        RecordReader(payload)?["response"] != nil
    }
}
