public import Dispatch

/// Decides where callbacks run, such as the completion handlers and delegate methods of ``LoginFlow``.
public struct CallbackExecutor: Sendable {
    package let execute: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates an executor that passes each callback to a closure; the closure must run the callback exactly once.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        execute = run
    }

    /// Runs callbacks on a dispatch queue.
    public static func queue(_ queue: DispatchQueue) -> CallbackExecutor {
        CallbackExecutor { work in queue.async(execute: work) }
    }

    /// Runs callbacks on the main queue.
    public static let main = CallbackExecutor.queue(.main)

    /// The default: runs each callback synchronously on the task that performed the operation; the callbacks must not block.
    public static let immediate = CallbackExecutor { work in work() }

    /// Runs work in an unstructured task, because the caller may be synchronous code; calls the completion once.
    @discardableResult
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        completion: @escaping @Sendable (Result<Value, IdentityError>) -> Void
    ) -> Task<Void, Never> {
        Task {
            let result: Result<Value, IdentityError>
            do { result = .success(try await work()) } catch { result = .failure(.wrapping(error)) }
            execute { completion(result) }
        }
    }
}
