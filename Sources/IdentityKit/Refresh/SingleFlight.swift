internal import Synchronization

/// Runs at most one operation per key at a time; whoever asks meanwhile waits for its result.
///
/// The operation is a task of its own that outlives its callers: a caller who is cancelled leaves, the operation goes on for
/// the others, and a refresh token that was sent is never abandoned half way.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private final class Flight: Sendable {
        private struct State {
            var result: Result<Value, any Error>?
            /// What a wait comes to when the operation takes longer than anybody is to wait.
            var impatience: (any Error)?
            var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
            var nextWaiter = 0
        }

        private let state = Mutex(State())

        func land(_ result: Result<Value, any Error>) {
            let waiters = state.withLock { state in
                state.result = result
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter.resume(with: result) }
        }

        /// Whether nobody waits any more, although the operation has not ended.
        var isGivenUp: Bool {
            state.withLock { $0.impatience != nil && $0.result == nil }
        }

        /// Lets everybody go who waits; the operation goes on.
        func sendAway(_ error: any Error) {
            let waiters = state.withLock { state in
                if state.result == nil { state.impatience = error }
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
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let settled: Result<Value, any Error>? = state.withLock { state in
                        if let result = state.result { return result }
                        if let impatience = state.impatience { return .failure(impatience) }
                        if Task.isCancelled { return .failure(CancellationError()) }
                        state.waiters[ticket] = continuation
                        return nil
                    }
                    if let settled { continuation.resume(with: settled) }
                }
            } onCancel: {
                state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
            }
        }
    }

    private let flights = Mutex<[Key: Flight]>([:])

    private let patience: (limit: Duration, clock: any IdentityClock, error: any Error)?

    /// Nobody's wait has an end of its own.
    package init() {
        patience = nil
    }

    /// - Parameters:
    ///   - limit: How long after its start an operation still has callers waiting; it goes on without them.
    ///   - clock: The clock that measures the limit.
    ///   - error: What they get then.
    package init(waitingUpTo limit: Duration, on clock: any IdentityClock, error: any Error) {
        patience = (limit, clock, error)
    }

    /// The result of the key's operation, started if none is under way.
    ///
    /// - Returns: The value, and whether this caller started the operation.
    package func run(
        _ key: Key,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, started: Bool) {
        let (flight, started) = join(key, operation)
        return (try await flight.wait(), started)
    }

    /// Starts the key's operation unless one is under way, and does not wait.
    package func start(_ key: Key, _ operation: @escaping @Sendable () async throws -> Value) {
        _ = join(key, operation)
    }

    /// Whether the key's operation is under way.
    package func isUnderWay(_ key: Key) -> Bool {
        flights.withLock { $0[key] != nil }
    }

    /// Waits until no operation is under way but those that take longer than anybody waits.
    package func drain() async {
        while let flight = flights.withLock({ $0.values.first(where: { !$0.isGivenUp }) }) {
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
        // Unstructured, and as long as the operation: what never answers must not keep those who wait for it.
        let timer = patience.map { patience in
            Task {
                try await patience.clock.sleep(for: patience.limit)
                flight.sendAway(patience.error)
            }
        }
        // Unstructured on purpose: the exchange must outlive every caller (see the type's comment).
        Task {
            let result: Result<Value, any Error>
            do {
                result = .success(try await Correlation.$current.withValue(correlationID) { try await operation() })
            } catch {
                result = .failure(error)
            }
            _ = flights.withLock { $0.removeValue(forKey: key) }
            timer?.cancel()
            flight.land(result)
        }
        return (flight, true)
    }
}
