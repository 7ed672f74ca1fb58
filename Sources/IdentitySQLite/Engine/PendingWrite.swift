/// A write that waits for its transaction.
///
/// Its body may run more than once, each time on a database where the earlier run did not happen.
struct PendingWrite: Sendable {
    /// When waiting for the lock is over, on the store's clock.
    let deadline: Duration
    /// Does the work and gives what tells the caller about it, to be called once it is durable.
    let run: @Sendable (Connection) throws -> @Sendable () -> Void
    let fail: @Sendable (any Error) -> Void

    init<R: Sendable>(
        deadline: Duration,
        continuation: CheckedContinuation<R, any Error>,
        body: @escaping @Sendable (Connection) throws -> R
    ) {
        self.deadline = deadline
        run = { connection in
            let result = try body(connection)
            return { continuation.resume(returning: result) }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}
