internal import Synchronization

/// The logouts that run in this process, so that a repeated call gets the result of the first one.
///
/// A browser that sends a sign-out twice shows only the second response. Only the first call finds the session, so without its result the
/// second response could not lead to the provider's logout page.
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

    /// Creates an instance whose logouts `drain()` of the manager waits for.
    package convenience init(of manager: SessionManager) {
        self.init(manager.context.background)
    }

    /// The result of the running logout of the session with equal options; if no such logout runs, the operation is started.
    ///
    /// A caller waits also if it is cancelled. A participant's call never joins a running logout, because that logout may wait for the
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
            // Unstructured on purpose, because the logout must outlive every caller.
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
