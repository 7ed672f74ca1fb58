#if PostgreSQL
/// A command that a task or a connecting thread sends to the ``ConnectionLoop``.
enum Command: Sendable {
    case perform(StatementCall)
    case endTransaction(link: Int)
    case dropDirect(link: Int)
    case waitForLock(LockWait)
    case endWait(UInt64)
    case connected(Result<OpenedConnection, PostgresFailure>, isDirect: Bool)
    case close
}

struct StatementCall: Sendable {
    typealias Outcome = Result<Reply, PostgresFailure>

    enum Target: Sendable, Equatable {
        /// A connection of the pool, which may go through a pooler; if `needsWriting` is true, to a server that accepts writes.
        case pool(needsWriting: Bool)
        /// A connection of the pool to a server that accepts writes.
        ///
        /// If the statement succeeds, the connection is borrowed until ``Command/endTransaction(link:)``.
        case newTransaction
        /// The connection that a transaction has borrowed.
        case transaction(link: Int)
        /// The connection that goes directly to the server, for work that lasts longer than a transaction.
        case direct
    }

    let statement: Statement
    let values: [Value]
    let target: Target
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Outcome, Never>

    var needsWriting: Bool { target != .pool(needsWriting: false) }

    func fail(_ failure: PostgresFailure) { continuation.resume(returning: .failure(failure)) }
}

/// The result of a statement, and the number of the connection that executed it.
struct Reply: Sendable {
    let rows: Rows
    let link: Int
    /// Whether the server accepted no writes; the data of such a server may lack the latest changes.
    let mayBeBehind: Bool
}

struct LockWait: Sendable {
    let id: UInt64
    let key: Int64
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, Never>
}
#endif
