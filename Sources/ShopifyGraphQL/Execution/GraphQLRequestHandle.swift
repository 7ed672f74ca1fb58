package import IdentityKit

/// A handle to cancel a call that has a completion handler.
public struct GraphQLRequestHandle: Sendable {
    private let task: Task<Void, Never>

    package init<Value: Sendable>(
        on executor: CallbackExecutor,
        _ work: @escaping @Sendable () async throws -> Value,
        completion: @escaping @Sendable (Result<Value, IdentityError>) -> Void
    ) {
        task = executor.run(work, completion: completion)
    }

    /// Cancels the call.
    ///
    /// The completion then gets an error of kind `IdentityError.Kind.cancelled`. A call that has already ended keeps its result.
    public func cancel() {
        task.cancel()
    }

    /// Waits until the call has ended and its completion was passed to the `CallbackExecutor`.
    public func finished() async {
        await task.value
    }
}
