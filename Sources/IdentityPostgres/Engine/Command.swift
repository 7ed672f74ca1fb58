#if PostgreSQL
/// A command that a task or a ``Connector`` sends to the ``ConnectionLoop``.
enum Command: Sendable {
    case perform(StatementCall, ConnectionKind)
    case performInTransaction(StatementCall, link: Int)
    case beginTransaction(TransactionRequest)
    case endTransaction(link: Int)
    case dropDirect(link: Int)
    case waitForLock(LockWait)
    case endWait(UInt64)
    case connected(Result<OpenedConnection, PostgresFailure>, ConnectionKind)
    case close
}
#endif
