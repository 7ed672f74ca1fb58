package import IdentityKit

/// A call that reports to a completion handler: the way to give it up.
public struct GraphQLRequestHandle: Sendable {
    private let task: Task<Void, Never>

    /// Runs work and hands its result to the completion, once, whatever happens.
    package init<Value: Sendable>(
        on executor: CallbackExecutor,
        _ work: @escaping @Sendable () async throws -> Value,
        completion: @escaping @Sendable (Result<Value, IdentityError>) -> Void
    ) {
        // Unstructured: callers of this entry point have no task to be a child of; the handle cancels it.
        task = Task {
            let result: Result<Value, IdentityError>
            do {
                result = .success(try await work())
            } catch {
                result = .failure(IdentityError.wrapping(error))
            }
            executor.execute { completion(result) }
        }
    }

    /// Gives up: the completion gets an error of kind `IdentityError.Kind.cancelled`, unless it has its answer already.
    public func cancel() {
        task.cancel()
    }

    /// Waits until the result has been handed to the executor.
    public func finished() async {
        await task.value
    }
}
