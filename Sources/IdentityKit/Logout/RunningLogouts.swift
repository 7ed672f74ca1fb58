internal import Synchronization

/// The logouts that run in this process, so that a repeated call gets the result of the first one.
///
/// A browser that sends a sign-out twice shows only the second response. Only the first call finds the session, so without its result the
/// second response could not lead to the provider's logout page.
final class RunningLogouts: Sendable {
    private struct Call: Hashable {
        let id: SessionID
        let postLogoutRedirectURI: String?
        let sendsState: Bool
        let returnPath: String?
    }

    /// The session that a logout ends in this task, to recognize calls that a participant makes meanwhile.
    @TaskLocal private static var ending: SessionID?

    private let tasks = Mutex<[Call: Task<LogoutResult, any Error>]>([:])

    /// The result of the running logout of the session with equal options; if no such logout runs, the operation is started.
    ///
    /// A caller waits also if it is cancelled. A participant's call for the session that just ended does not wait, because the logout
    /// waits for the participant.
    func run(
        _ id: SessionID,
        _ options: LogoutOptions,
        _ operation: @escaping @Sendable () async throws -> LogoutResult
    ) async throws -> LogoutResult {
        if Self.ending == id { return try await operation() }
        let call = Call(
            id: id,
            postLogoutRedirectURI: options.postLogoutRedirectURI,
            sendsState: options.sendsState,
            returnPath: options.returnPath
        )
        let task = tasks.withLock { tasks in
            if let task = tasks[call] { return task }
            // Unstructured on purpose, because the logout must outlive every caller.
            let task = Task { [self] in
                defer { end(call) }
                return try await Self.$ending.withValue(id) { try await operation() }
            }
            tasks[call] = task
            return task
        }
        return try await task.value
    }

    private func end(_ call: Call) { tasks.withLock { $0[call] = nil } }
}
