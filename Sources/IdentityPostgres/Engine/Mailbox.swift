internal import CIdentityPostgres
internal import Glibc
internal import Synchronization

/// How tasks and connectors speak to the loop's thread: a queue, and a descriptor that wakes its poll.
final class Mailbox: Sendable {
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

    private struct State {
        /// False once the loop has ended and the descriptor is closed.
        var isOpen = true
        var commands: [Command] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// Becomes readable when there is something to take.
    let descriptor: Int32

    init() throws(PostgresFailure) {
        descriptor = identity_postgres_wake_make()
        guard descriptor >= 0 else { throw PostgresFailure(.client) }
    }

    /// Hands a command to the loop; false if the loop has ended and will not see it.
    @discardableResult
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.commands.append(command)
            // One wake-up serves all commands up to the next take.
            if state.commands.count == 1 { identity_postgres_wake_raise(descriptor) }
            return true
        }
    }

    /// Called by the loop only.
    func take(into commands: inout [Command]) {
        state.withLock { swap(&$0.commands, &commands) }
    }

    /// Closes the descriptor, gives back what was queued too late and wakes those who wait; the loop's last deed.
    func loopEnded() -> [Command] {
        let (commands, waiters) = state.withLock { state in
            close(descriptor)
            defer { state = State(isOpen: false) }
            return (state.commands, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return commands
    }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.isOpen { state.waiters.append(continuation) }
                return !state.isOpen
            }
            if hasEnded { continuation.resume() }
        }
    }
}
