public import IdentityKit
public import ShopifyGraphQL

// Methods with completions, for apps that used the Mobile Buy SDK. In contrast to that SDK, each method calls its completion exactly once,
// also after a cancellation, and on the executor that the app chooses.

extension StorefrontClient {
    /// Executes an operation that must return data, and calls the completion.
    ///
    /// The completion is called exactly once, on the executor. With a nil `cachePolicy`, the client's policy applies.
    ///
    /// - Returns: A handle to cancel the call.
    @discardableResult
    public func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        cachePolicy: CachePolicy? = nil,
        on executor: CallbackExecutor = .immediate,
        completion: @escaping @Sendable (Result<StorefrontResult<Operation.Output>, IdentityError>) -> Void
    ) -> GraphQLRequestHandle {
        GraphQLRequestHandle(
            on: executor,
            { try await execute(operation, in: context, cachePolicy: cachePolicy) },
            completion: completion
        )
    }

    /// Executes an operation and calls the completion with data, errors or both.
    ///
    /// - Returns: A handle to cancel the call.
    @discardableResult
    public func executePartial<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        cachePolicy: CachePolicy? = nil,
        on executor: CallbackExecutor = .immediate,
        completion: @escaping @Sendable (Result<PartialStorefrontResult<Operation.Output>, IdentityError>) -> Void
    ) -> GraphQLRequestHandle {
        GraphQLRequestHandle(
            on: executor,
            { try await executePartial(operation, in: context, cachePolicy: cachePolicy) },
            completion: completion
        )
    }

    /// Repeats an operation until `isDone` returns true for its result, and calls the completion with this result or an error.
    ///
    /// - Returns: A handle to cancel the call.
    @discardableResult
    public func poll<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        every interval: Duration = .seconds(2),
        timeout: Duration = .seconds(60),
        hint: @escaping @Sendable (Operation.Output) -> PollHint? = { _ in nil },
        until isDone: @escaping @Sendable (Operation.Output) throws -> Bool,
        on executor: CallbackExecutor = .immediate,
        completion: @escaping @Sendable (Result<StorefrontResult<Operation.Output>, IdentityError>) -> Void
    ) -> GraphQLRequestHandle {
        GraphQLRequestHandle(
            on: executor,
            {
                try await poll(
                    operation,
                    in: context,
                    every: interval,
                    timeout: timeout,
                    hint: hint,
                    until: isDone
                )
            },
            completion: completion
        )
    }
}
