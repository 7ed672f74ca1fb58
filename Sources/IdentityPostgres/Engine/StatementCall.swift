#if PostgreSQL
/// A statement with its values, and the task that waits for the result.
struct StatementCall: Sendable {
    typealias Outcome = Result<Reply, PostgresFailure>

    let statement: Statement
    let values: [Value]
    let needsWriting: Bool
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Outcome, Never>

    func fail(_ failure: PostgresFailure) { continuation.resume(returning: .failure(failure)) }
}

/// The result of a statement, and the number of the connection that executed it.
struct Reply: Sendable {
    let rows: Rows
    let link: Int
    /// Whether the server accepted no writes; the data of such a server may lack the latest changes.
    let mayBeBehind: Bool
}

/// A task that waits for exclusive use of a connection, for a transaction.
struct TransactionRequest: Sendable {
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Result<Int, PostgresFailure>, Never>

    func fail(_ failure: PostgresFailure) { continuation.resume(returning: .failure(failure)) }
}

/// A wait until another holder releases a lock, or until a deadline.
struct LockWait: Sendable {
    let id: UInt64
    let key: Int64
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, Never>
}

enum ConnectionKind: Sendable {
    /// A connection of the pool, which may go through a pooler.
    case pooled
    /// The connection that goes directly to the server, for work that lasts longer than a transaction.
    case direct
}
#endif
