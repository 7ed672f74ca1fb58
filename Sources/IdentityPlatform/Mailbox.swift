internal import Synchronization

/// A queue of commands from tasks to the thread of a loop.
package final class Mailbox<Command: Sendable>: Sendable {
    private struct State {
        /// False after the loop has ended and its wake-up resource was released.
        var isOpen = true
        var commands: [Command] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// Creates an empty, open mailbox.
    ///
    /// - Parameter wake: Wakes the loop. It is called under the mailbox's lock, and never after ``close(releasing:)``.
    package init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Sends a command to the loop; false if the loop has ended and will not read it.
    @discardableResult
    package func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.commands.append(command)
            // One wake-up is sufficient for all commands until the loop takes them.
            if state.commands.count == 1 { wake() }
            return true
        }
    }

    /// Exchanges the queued commands for an empty array.
    ///
    /// For the loop only.
    package func take(into commands: inout [Command]) {
        state.withLock { swap(&$0.commands, &commands) }
    }

    /// Closes the mailbox and resumes the tasks in ``waitForEnd()``.
    ///
    /// For the loop only, as its last call.
    ///
    /// - Parameter release: Releases the wake-up resource, under the lock.
    /// - Returns: The commands that the loop did not take.
    package func close(releasing release: () -> Void) -> [Command] {
        let (commands, waiters) = state.withLock { state in
            release()
            defer { state = State(isOpen: false) }
            return (state.commands, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return commands
    }

    /// Waits until the mailbox is closed.
    package func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.isOpen { state.waiters.append(continuation) }
                return !state.isOpen
            }
            if hasEnded { continuation.resume() }
        }
    }
}
