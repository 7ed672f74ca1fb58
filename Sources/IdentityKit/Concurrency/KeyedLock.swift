internal import Synchronization

/// One lock for each key, for the tasks of one process; waiting tasks get the lock in the order in which they began to wait.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    package enum WaitOutcome: Sendable {
        case acquired, timedOut, cancelled
    }

    private struct Waiter {
        let ticket: Int
        let continuation: CheckedContinuation<WaitOutcome, Never>
    }

    private struct State {
        /// A locked key has an entry, which is empty if no task waits; a free key has no entry.
        var waiters: [Key: [Waiter]] = [:]
        var lastTicket = 0
    }

    private let state = Mutex(State())
    private let clock: any IdentityClock

    package init(clock: any IdentityClock = SystemClock()) {
        self.clock = clock
    }

    /// Runs the body while no other task holds the key's lock.
    ///
    /// Throws `CancellationError` if the task is already cancelled, or is cancelled while it waits.
    package func withLock<Result: Sendable>(_ key: Key, _ body: () async throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        guard await acquire(key) == .acquired else { throw CancellationError() }
        defer { release(key) }
        return try await body()
    }

    /// Takes the key's lock, or waits for the lock; even a cancelled task takes a free lock, and a nil `limit` means no limit.
    package func acquire(_ key: Key, waitingUpTo limit: Duration? = nil) async -> WaitOutcome {
        let ticket: Int? = state.withLock { state in
            guard state.waiters[key] != nil else {
                state.waiters[key] = []
                return nil
            }
            state.lastTicket += 1
            return state.lastTicket
        }
        guard let ticket else { return .acquired }
        if let limit, limit <= .zero { return .timedOut }
        let deadline = limit.map { clock.elapsed + $0 }
        let timer = limit.map { limit in
            Task { [self] in
                guard (try? await clock.sleep(for: limit)) != nil else { return }
                endWait(ticket, for: key, .timedOut)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: WaitOutcome? = state.withLock { state in
                    if Task.isCancelled { return .cancelled }
                    // The timer may have fired before this task was added to the waiters.
                    if let deadline, clock.elapsed >= deadline { return .timedOut }
                    guard state.waiters[key] != nil else {
                        // The lock was released after the first check above.
                        state.waiters[key] = []
                        return .acquired
                    }
                    state.waiters[key]?.append(Waiter(ticket: ticket, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            endWait(ticket, for: key, .cancelled)
        }
    }

    package func release(_ key: Key) {
        let next: Waiter? = state.withLock { state in
            guard let waiters = state.waiters[key], !waiters.isEmpty else {
                state.waiters[key] = nil
                return nil
            }
            return state.waiters[key]?.removeFirst()
        }
        next?.continuation.resume(returning: .acquired)
    }

    package func waiting(for key: Key) -> Int {
        state.withLock { $0.waiters[key]?.count ?? 0 }
    }

    private func endWait(_ ticket: Int, for key: Key, _ outcome: WaitOutcome) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters[key]?.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiters[key]?.remove(at: index)
        }
        waiter?.continuation.resume(returning: outcome)
    }
}
