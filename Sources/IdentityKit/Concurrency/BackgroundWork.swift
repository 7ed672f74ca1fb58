internal import Synchronization

/// Runs operations that must complete even if their callers are cancelled.
///
/// For example, only the call that removes a session can revoke its tokens; the server may cancel this call if the browser disconnects.
final class BackgroundWork: Sendable {
    private let runs = SingleFlight<Int, Void>()
    private let starts = Atomic(0)

    func start(_ body: @escaping @Sendable () async -> Void) {
        runs.start(starts.add(1, ordering: .relaxed).newValue) { await body() }
    }

    /// Runs an operation and waits until it has ended, even if the caller is cancelled.
    func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let task = Task { () -> Result<Value, Failure> in
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        start { _ = await task.value }
        return try await task.value.get()
    }

    /// Runs an operation and waits for its result, at most for `limit`.
    ///
    /// Returns nil if the operation takes longer, or if the caller is cancelled. In both cases the operation continues.
    func run<Value: Sendable>(
        waitingUpTo limit: Duration,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (results, continuation) = AsyncStream.makeStream(of: Value.self)
        start { continuation.yield(await body()) }
        // The timer uses real time even if a test replaces the clock, because the caller waits in real time.
        let timer = Task {
            try await SystemClock().sleep(for: limit)
            continuation.finish()
        }
        defer { timer.cancel() }
        for await result in results { return result }
        return nil
    }

    func drain() async { await runs.drain() }
}
