internal import Synchronization

/// Runs at most one operation per key at a time; all callers that ask for the key meanwhile get its result.
///
/// The operation is a separate task that outlives its callers. A cancelled caller stops waiting, and the operation
/// continues. So a refresh whose refresh token was sent is completed even if its caller is cancelled.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private final class Flight: Sendable {
        private struct State {
            var result: Result<Value, any Error>?
            /// The error for callers, set when the operation exceeds the time limit.
            var timeLimitError: (any Error)?
            var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
            var nextWaiter = 0
        }

        private let state = Mutex(State())

        func finish(_ result: Result<Value, any Error>) {
            let waiters = state.withLock { state in
                state.result = result
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter.resume(with: result) }
        }

        /// Whether the time limit has ended the wait of all callers, and the operation still runs.
        var hasExceededTimeLimit: Bool {
            state.withLock { $0.timeLimitError != nil && $0.result == nil }
        }

        /// Ends the wait of all callers; the operation continues.
        func endWaits(_ error: any Error) {
            let waiters = state.withLock { state in
                if state.result == nil { state.timeLimitError = error }
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter.resume(throwing: error) }
        }

        func wait() async throws -> Value {
            let ticket = state.withLock { state in
                state.nextWaiter += 1
                return state.nextWaiter
            }
            do {
                return try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { continuation in
                        let settled: Result<Value, any Error>? = state.withLock { state in
                            if let result = state.result { return result }
                            if let error = state.timeLimitError { return .failure(error) }
                            if Task.isCancelled { return .failure(CancellationError()) }
                            state.waiters[ticket] = continuation
                            return nil
                        }
                        if let settled { continuation.resume(with: settled) }
                    }
                } onCancel: {
                    state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
                }
            } catch is CancellationError {
                // An `IdentityError` takes the correlation id of the task that creates it, so the waiting task creates this error.
                throw IdentityError.cancellation()
            }
        }
    }

    private let flights = Mutex<[Key: Flight]>([:])

    private let timeLimit: (duration: Duration, clock: any IdentityClock, error: any Error)?

    /// Creates an instance whose callers wait without a time limit.
    package init() {
        timeLimit = nil
    }

    /// Creates an instance whose callers wait no longer than a time limit.
    ///
    /// - Parameters:
    ///   - limit: How long callers wait after the start of an operation, which continues without them.
    ///   - clock: The clock that measures the limit.
    ///   - error: The error for the callers whose wait ends at the limit.
    package init(waitingUpTo limit: Duration, on clock: any IdentityClock, error: any Error) {
        timeLimit = (limit, clock, error)
    }

    /// Runs the key's operation, or waits for the operation that already runs, and returns its result.
    ///
    /// The method throws the error of the operation, the error of the time limit, or an error of kind `cancelled` if the calling task is
    /// cancelled.
    ///
    /// - Returns: The value, and whether this caller started the operation.
    package func run(
        _ key: Key,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, started: Bool) {
        let (result, started) = await result(of: key, operation)
        return (try result.get(), started)
    }

    /// Does the same as ``run(_:_:)``, but returns an error as a result, so that a caller also learns whether it started an operation
    /// that failed.
    package func result(
        of key: Key,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async -> (result: Result<Value, any Error>, started: Bool) {
        let (flight, started) = join(key, operation)
        do {
            return (.success(try await flight.wait()), started)
        } catch {
            return (.failure(error), started)
        }
    }

    /// Starts the key's operation if none runs, and does not wait for its end.
    package func start(_ key: Key, _ operation: @escaping @Sendable () async throws -> Value) {
        _ = join(key, operation)
    }

    /// Whether the key's operation runs.
    package func isUnderWay(_ key: Key) -> Bool {
        flights.withLock { $0[key] != nil }
    }

    /// Waits until no operation runs, except those that have exceeded the time limit, or until the calling task is cancelled.
    package func drain() async {
        while let flight = flights.withLock({ $0.values.first(where: { !$0.hasExceededTimeLimit }) }) {
            _ = try? await flight.wait()
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
        let correlationID = Correlation.current
        // At the time limit the timer ends the callers' waits, because an operation that never ends must not block them. The timer is an
        // unstructured task, because the caller that starts it may return before the other callers.
        let timer = timeLimit.map { limit in
            Task {
                try await limit.clock.sleep(for: limit.duration)
                flight.endWaits(limit.error)
            }
        }
        // An unstructured task, because the operation must continue even if all callers are cancelled.
        Task {
            let result: Result<Value, any Error>
            do {
                result = .success(try await Correlation.$current.withValue(correlationID) { try await operation() })
            } catch {
                result = .failure(error)
            }
            _ = flights.withLock { $0.removeValue(forKey: key) }
            timer?.cancel()
            flight.finish(result)
        }
        return (flight, true)
    }
}
