internal import Synchronization

/// A queue of commands from tasks to the thread of a loop.
package final class Mailbox<Command: Sendable>: Sendable {
    private struct State {
        /// False once the loop is ending.
        var isOpen = true
        /// Whether the loop looks at the queue again before it waits.
        var isAwake = false
        /// Whether the wake-up resource was released.
        var hasEnded = false
        var commands: [Command] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// The number of callers that are about to wake the loop.
    private let wakers = Atomic(0)
    private let wake: @Sendable () -> Void

    /// Creates an empty, open mailbox.
    ///
    /// - Parameter wake: Wakes the loop. It is called without the mailbox's lock, which the loop takes next, and never after
    ///   ``close(releasing:)`` releases its resource.
    package init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Sends a command to the loop; false if the loop has ended and will not read it.
    @discardableResult
    package func post(_ command: Command) -> Bool {
        let (isPosted, isFirst) = state.withLock { state in
            guard state.isOpen else { return (false, false) }
            state.commands.append(command)
            // One wake-up is sufficient for all commands until the loop takes them.
            let isFirst = state.commands.count == 1 && !state.isAwake
            if isFirst { wakers.add(1, ordering: .relaxed) }
            return (true, isFirst)
        }
        if isFirst {
            wake()
            wakers.subtract(1, ordering: .releasing)
        }
        return isPosted
    }

    /// Exchanges the queued commands for an empty array.
    ///
    /// Only the loop may call this.
    ///
    /// - Parameters:
    ///   - commands: The array.
    ///   - staysAwake: Whether the loop calls ``mayWait()`` before it waits. Until then nobody wakes it, which saves a system call
    ///     for each command.
    package func take(into commands: inout [Command], stayingAwake staysAwake: Bool = false) {
        state.withLock { state in
            swap(&state.commands, &commands)
            state.isAwake = staysAwake
        }
    }

    /// Whether the loop may wait: no command is queued, and the next one wakes the loop.
    ///
    /// Only the loop may call this.
    package func mayWait() -> Bool {
        state.withLock { state in
            state.isAwake = !state.commands.isEmpty
            return !state.isAwake
        }
    }

    /// Closes the mailbox and resumes the tasks in ``waitForEnd()``.
    ///
    /// Only the loop may call this, as its last call.
    ///
    /// - Parameter release: Releases the wake-up resource, after the last wake-up.
    /// - Returns: The commands that the loop did not take.
    package func close(releasing release: () -> Void) -> [Command] {
        state.withLock { $0.isOpen = false }
        // A caller that posted before still uses the resource, for one system call.
        while wakers.load(ordering: .acquiring) > 0 { usleep(10) }
        release()
        let (commands, waiters) = state.withLock { state in
            defer { state = State(isOpen: false, hasEnded: true) }
            return (state.commands, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return commands
    }

    /// Waits until the mailbox is closed.
    package func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiters.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }
}
