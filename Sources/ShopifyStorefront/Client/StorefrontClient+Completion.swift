public import IdentityKit
public import ShopifyGraphQL

// For those who come from the Mobile Buy SDK. Other than there, the completion is called exactly once whatever happens, after a
// cancellation too, and where the caller wants it.

extension StorefrontClient {
    /// Carries out an operation whose data are needed, and calls back.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - context: What differs from the client's own context.
    ///   - cachePolicy: Whether the cache may answer; as the client says unless given.
    ///   - executor: Where the completion runs.
    ///   - completion: Called exactly once.
    /// - Returns: A handle by which to cancel.
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

    /// Carries out an operation and calls back with whatever came: data, errors or both.
    ///
    /// - Returns: A handle by which to cancel.
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

    /// Polls until an answer is what is waited for, and calls back.
    ///
    /// - Returns: A handle by which to cancel.
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
