internal import Synchronization

/// The logouts that run in this process, so that a repeated call gets the result of the first one.
///
/// A browser that sends a sign-out twice shows only the second response. But only the first call finds the session. Without the result of
/// the first call, the second response could not send the browser to the provider's logout page.
package final class RunningLogouts<Options: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Call: Hashable {
        let id: SessionID
        let options: Options
    }

    private let tasks = Mutex<[Call: Task<Value, any Error>]>([:])
    private let background: BackgroundWork

    init(_ background: BackgroundWork) {
        self.background = background
    }

    /// Creates an instance for the logouts of another module; ``SessionManager/drain()`` of `manager` waits for them.
    package convenience init(of manager: SessionManager) {
        self.init(manager.context.background)
    }

    /// Returns the result of the session's running logout with equal options; if no such logout runs, starts the operation.
    ///
    /// A cancelled caller waits too. A call from a participant never joins a running logout, because the running logout may wait for the
    /// participant.
    package func run(
        _ id: SessionID,
        _ options: Options,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if Logout.isCurrent { return try await operation() }
        let call = Call(id: id, options: options)
        let task = tasks.withLock { tasks in
            if let task = tasks[call] { return task }
            // The task is unstructured, because the logout must continue if a caller is cancelled.
            let task = Task { [self] in
                defer { end(call) }
                return try await operation()
            }
            tasks[call] = task
            background.start { _ = await task.result }
            return task
        }
        return try await task.value
    }

    private func end(_ call: Call) { tasks.withLock { $0[call] = nil } }
}

enum Logout {
    /// Whether the current task runs in a logout, so that a logout that a participant calls does not join it (``RunningLogouts``).
    ///
    /// Tasks that a participant starts inherit the value, and their logouts never join a running one.
    @TaskLocal static var isCurrent = false
}
