internal import Synchronization

/// The logouts that run in this process, so that a repeated call gets the result of the first call.
///
/// A browser that sends a sign-out request twice shows only the second response. Without this type, only the first response would lead to
/// the logout page.
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

    /// Creates an instance for the logouts of another module; ``SessionManager/drain()`` of `manager` waits for these logouts.
    package convenience init(of manager: SessionManager) {
        self.init(manager.context.background)
    }

    /// Returns the result of the session's running logout with equal options; if no such logout runs, starts the operation.
    ///
    /// A caller whose task is cancelled also waits for the result. Code that a logout calls, such as a participant, does not wait for a
    /// running logout, but starts its own operation (``Logout/isCurrent``).
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
    /// Whether ``SessionManager/logout(_:options:)`` called the code that runs now, for example a participant.
    ///
    /// If the value is true, a further logout does not wait for a running logout, because the two could wait for each other. Tasks that a
    /// participant starts inherit the value.
    @TaskLocal static var isCurrent = false
}
