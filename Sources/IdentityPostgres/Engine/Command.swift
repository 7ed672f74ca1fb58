#if PostgreSQL
/// The commands of tasks and connectors to the loop.
enum Command: Sendable {
    case perform(StatementCall, Role)
    case performBorrowed(StatementCall, link: Int)
    case borrow(Borrowing)
    case giveBack(link: Int)
    case dropDirect(link: Int)
    case nap(Nap)
    case wake(nap: UInt64)
    case connected(Result<OpenedConnection, PostgresFailure>, Role)
    case close
}
#endif
