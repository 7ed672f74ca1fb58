internal import Synchronization

/// Runs at most one operation per key at a time; callers that ask for the key while the operation runs get the operation's result.
///
/// The operation runs in a separate task, and continues if its callers are cancelled. So a refresh is completed even if its callers are
/// cancelled after the refresh token was sent.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private final class Flight: Sendable {
        private struct State {
            /// What callers get: the result of the operation, or the error of the time limit.
            var result: Result<Value, any Error>?
            var hasExceededTimeLimit = false
            var waiters: [Int: CheckedContinuation<Result<Value, any Error>, Never>] = [:]
            var nextWaiter = 0
        }

        private let state = Mutex(State())

        var hasExceededTimeLimit: Bool { state.withLock { $0.hasExceededTimeLimit } }

        /// Ends the wait of all callers: at the end of the operation, or at the time limit while the operation continues.
        func endWaits(_ result: Result<Value, any Error>, atTimeLimit: Bool = false) {
            let waiters = state.withLock { state in
                // The time limit must not replace the result of an operation that has just ended.
                if !atTimeLimit || state.result == nil {
                    state.result = result
                    state.hasExceededTimeLimit = atTimeLimit
                }
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter.resume(returning: result) }
        }

        func wait() async -> Result<Value, any Error> {
            let ticket = state.withLock { state in
                state.nextWaiter += 1
                return state.nextWaiter
            }
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let settled: Result<Value, any Error>? = state.withLock { state in
                        if let result = state.result { return result }
                        if Task.isCancelled { return .failure(CancellationError()) }
                        state.waiters[ticket] = continuation
                        return nil
                    }
                    if let settled { continuation.resume(returning: settled) }
                }
            } onCancel: {
                let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
                waiter?.resume(returning: .failure(CancellationError()))
            }
            // An `IdentityError` takes the correlation id of the task that creates it, so the waiting task creates this error.
            if case .failure(is CancellationError) = result { return .failure(IdentityError.cancellation()) }
            return result
        }
    }

    private let flights = Mutex<[Key: Flight]>([:])

    private let timeLimit: (duration: Duration, clock: any IdentityClock, error: any Error)?

    package init() {
        timeLimit = nil
    }

    /// Creates an instance whose callers get `error` if the operation takes longer than `limit`; the operation then continues.
    package init(waitingUpTo limit: Duration, on clock: any IdentityClock, error: any Error) {
        timeLimit = (limit, clock, error)
    }

    /// Runs the key's operation, or waits for the operation that already runs; returns whether this caller started it.
    ///
    /// A failure contains the error of the operation, the error of the time limit, or an error of kind `cancelled` if the calling task is
    /// cancelled.
    package func run(
        _ key: Key,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async -> (result: Result<Value, any Error>, started: Bool) {
        let (flight, started) = join(key, operation)
        return (await flight.wait(), started)
    }

    package func start(_ key: Key, _ operation: @escaping @Sendable () async throws -> Value) {
        _ = join(key, operation)
    }

    package func isUnderWay(_ key: Key) -> Bool {
        flights.withLock { $0[key] != nil }
    }

    /// Waits until no operation runs, or until the calling task is cancelled; ignores operations that have exceeded the time limit.
    package func drain() async {
        while let flight = flights.withLock({ $0.values.first(where: { !$0.hasExceededTimeLimit }) }) {
            _ = await flight.wait()
            if Task.isCancelled { return }
        }
    }

    private func join(
        _ key: Key,
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> (flight: Flight, started: Bool) {
        let (flight, started) = flights.withLock { flights in
            if let flight = flights[key] { return (flight, false) }
            let flight = Flight()
            flights[key] = flight
            return (flight, true)
        }
        guard started else { return (flight, false) }
        // The timer is an unstructured task, because the caller that starts the timer may return before the limit.
        let timer = timeLimit.map { limit in
            Task {
                try await limit.clock.sleep(for: limit.duration)
                flight.endWaits(.failure(limit.error), atTimeLimit: true)
            }
        }
        // An unstructured task, because the operation must continue even if all callers are cancelled. It inherits the correlation id.
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await operation()) } catch { result = .failure(error) }
            _ = flights.withLock { $0.removeValue(forKey: key) }
            timer?.cancel()
            flight.endWaits(result)
        }
        return (flight, true)
    }
}
