internal import Glibc
internal import Synchronization

/// How other threads speak to a server's loop: a queue and a pipe that wakes it.
final class LoopbackMailbox: Sendable {
    enum Command: Sendable {
        case respond(connection: UInt64, LoopbackResponse)
        case finish(within: Duration)
        case stop
    }

    private struct State {
        /// Whether the pipe is open; once it is not, its numbers may be somebody else's files, hence used under the lock only.
        var isOpen = true
        var commands: [Command] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let writeDescriptor: Int32
    /// Valid for the loop, which is the one that ends it.
    let wakeupDescriptor: Int32

    init(_ pipe: (read: Int32, write: Int32)) {
        wakeupDescriptor = pipe.read
        writeDescriptor = pipe.write
    }

    func post(_ command: Command) {
        state.withLock { state in
            guard state.isOpen else { return }
            state.commands.append(command)
            if state.commands.count == 1 { LoopbackSocket.wake(writeDescriptor) }
        }
    }

    /// Called by the loop only.
    func take() -> [Command] {
        state.withLock { state in
            LoopbackSocket.drain(wakeupDescriptor)
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Called by the loop as its last deed.
    func loopEnded() {
        let waiters = state.withLock { state in
            close(wakeupDescriptor)
            close(writeDescriptor)
            state.isOpen = false
            state.commands = []
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
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
