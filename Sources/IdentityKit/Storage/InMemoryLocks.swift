internal import Synchronization

/// Locks of sessions among the tasks of one process; who comes first is served first.
///
/// For stores whose sessions live in one process: `final class MyStore: SessionLocking` hands the call on to one of these.
package final class InMemoryLocks: SessionLocking {
    private enum Outcome { case entered, tooLate, cancelled }

    private struct Waiter {
        let ticket: Int
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        /// Who waits for a session that is held; a session that nobody holds has no line.
        var lines: [SessionID: [Waiter]] = [:]
        var nextTicket = 0
    }

    private let state = Mutex(State())
    private let clock: any IdentityClock

    /// Locks that nobody holds.
    ///
    /// - Parameter clock: By which waits are measured.
    package init(clock: any IdentityClock = SystemClock()) {
        self.clock = clock
    }

    /// Runs the body while no other task holds the session's lock.
    package func withSessionLock<Result: Sendable>(
        _ id: SessionID,
        waitingUpTo limit: Duration,
        _ body: @Sendable (SessionHold) async throws -> Result
    ) async throws -> Result {
        switch await enter(id, waitingUpTo: limit) {
        case .entered: break
        case .tooLate:
            throw IdentityError(.retryLater, .renewalBusy, "Another task holds the session.", hint: "Try again.")
        case .cancelled:
            throw IdentityError(.cancelled, .cancelled, "The operation was cancelled.")
        }
        defer { leave(id) }
        return try await body(.kernel)
    }

    /// How many tasks wait for a session's lock.
    package func waiting(for id: SessionID) -> Int {
        state.withLock { $0.lines[id]?.count ?? 0 }
    }

    private func enter(_ id: SessionID, waitingUpTo limit: Duration) async -> Outcome {
        let ticket: Int? = state.withLock { state in
            guard state.lines[id] != nil else {
                state.lines[id] = []
                return nil
            }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return .entered }
        guard limit > .zero else { return .tooLate }
        let deadline = clock.elapsed + limit
        let timer = Task { [self] in
            // A timer that was stopped has nothing to tell.
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            settle(ticket, of: id, .tooLate)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Outcome? = state.withLock { state in
                    if Task.isCancelled { return .cancelled }
                    // The timer may have found nobody waiting yet.
                    if clock.elapsed >= deadline { return .tooLate }
                    guard state.lines[id] != nil else {
                        // Its holder left in the meantime.
                        state.lines[id] = []
                        return .entered
                    }
                    state.lines[id]?.append(Waiter(ticket: ticket, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            settle(ticket, of: id, .cancelled)
        }
    }

    /// Ends a wait, if it is not over yet.
    private func settle(_ ticket: Int, of id: SessionID, _ outcome: Outcome) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.lines[id]?.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.lines[id]?.remove(at: index)
        }
        waiter?.continuation.resume(returning: outcome)
    }

    /// Hands the lock to who has waited longest.
    private func leave(_ id: SessionID) {
        let next: Waiter? = state.withLock { state in
            guard let line = state.lines[id], !line.isEmpty else {
                state.lines[id] = nil
                return nil
            }
            return state.lines[id]?.removeFirst()
        }
        next?.continuation.resume(returning: .entered)
    }
}
