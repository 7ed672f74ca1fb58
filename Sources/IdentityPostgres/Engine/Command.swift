#if PostgreSQL
/// A command that a task or a connecting thread sends to the ``ConnectionLoop``.
enum Command: Sendable {
    case perform(StatementCall)
    case endTransaction(link: Int)
    case dropDirect(link: Int)
    case waitForLock(LockWait)
    case endWait(UInt64)
    case connected(Result<OpenedConnection, PostgresFailure>, ConnectionKind)
    case close
}

enum ConnectionKind: Sendable {
    /// A connection of the pool, which may go through a pooler.
    case pooled
    /// The connection that goes directly to the server, for work that lasts longer than a transaction.
    case direct
}

/// A wait until another holder releases a lock, or until a deadline.
struct LockWait: Sendable {
    let id: UInt64
    let key: Int64
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, Never>
}
#endif
