public import Synchronization

/// A queue of commands that tasks send to the thread of an event loop.
///
/// The methods that a loop and its callers use for each command are inlinable: otherwise Swift's runtime would look up the generic types of
/// the members at each call. Without `@usableFromInline` on the class, Swift would not inline them in other modules.
@usableFromInline package final class Mailbox<Command: Sendable>: Sendable {
    @usableFromInline struct State {
        @usableFromInline var isOpen = true
        /// Whether the loop will look at the queue before it waits for events; if so, ``post(_:)`` does not call `wake`.
        @usableFromInline var isAwake = false
        /// Whether ``close(releasing:)`` has released the resource that `wake` uses.
        var hasEnded = false
        @usableFromInline var commands: [Command] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    @usableFromInline let state = Mutex(State())
    /// The number of calls of ``post(_:)`` that are in `wake` or will call `wake`.
    @usableFromInline let wakers = Atomic(0)
    @usableFromInline let wake: @Sendable () -> Void

    /// Creates a mailbox whose ``post(_:)`` calls `wake` to wake the loop, for example through a pipe.
    ///
    /// The mailbox does not hold its lock during the call, because the loop takes this lock after it wakes up. After ``close(releasing:)``
    /// has released the resource of `wake`, `wake` is not called.
    package init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Queues a command and wakes the loop if necessary; returns false, without queueing the command, if the mailbox is closed.
    @discardableResult
    @inlinable package func post(_ command: Command) -> Bool {
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

    /// Moves all queued commands to `commands`, which must be empty; only the loop's thread may call this method.
    ///
    /// If `staysAwake` is true, the loop must call ``mayWait()`` before it waits for events. Until then, ``post(_:)`` saves the system call
    /// that wakes the loop.
    @inlinable package func take(into commands: inout [Command], stayingAwake staysAwake: Bool = false) {
        state.withLock { state in
            swap(&state.commands, &commands)
            state.isAwake = staysAwake
        }
    }

    /// Returns true if no command is queued; the loop may then wait for events, and the next ``post(_:)`` wakes it.
    ///
    /// Only the loop's thread may call this method.
    @inlinable package func mayWait() -> Bool {
        state.withLock { state in
            state.isAwake = !state.commands.isEmpty
            return !state.isAwake
        }
    }

    /// Closes the mailbox, and returns the commands that the loop did not take.
    ///
    /// The loop's thread calls this method when it ends, and must not call the mailbox afterwards. If the thread could not be started, the
    /// creator of the mailbox calls this method. `release` is called after the last call of `wake` has ended. Then the tasks in
    /// ``waitForEnd()`` resume.
    package func close(releasing release: () -> Void) -> [Command] {
        state.withLock { $0.isOpen = false }
        // Another thread may still be in `wake`, which uses the resource for one system call.
        while wakers.load(ordering: .acquiring) > 0 { usleep(10) }
        release()
        let (commands, waiters) = state.withLock { state in
            defer { state = State(isOpen: false, hasEnded: true) }
            return (state.commands, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return commands
    }

    /// Waits until ``close(releasing:)`` has released the resource that `wake` uses; returns at once if this has already happened.
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
