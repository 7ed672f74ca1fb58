#if PostgreSQL
/// The commands of tasks and connectors to the loop.
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
