internal import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// Calls one shop's Storefront API.
///
/// ```swift
/// let storefront = StorefrontClient(configuration: configuration, environment: environment)
/// let shop = try await storefront.execute(ShopInfo(), in: StorefrontContext(buyerIP: ip)).data
/// print(shop.name)
/// ```
///
/// A client is a value that can be used from any task. Create one client for each shop and keep it. Copies of a client share its cache. An
/// event that a client reports only once is reported once for all copies. All clients of this process share a circuit breaker if they have
/// the same shop, the same origin of the endpoint and the same clock.
///
/// A failed operation is repeated only if `RetryLimits` and the operation's document permit it. A response is cached only if the client has
/// a cache and the call's cache policy uses the cache.
public struct StorefrontClient: Sendable {
    /// The shop, version and authentication.
    public let configuration: StorefrontConfiguration
    /// The buyer, country and language of calls that do not override them.
    public let context: StorefrontContext
    let environment: IdentityEnvironment
    private let executor: GraphQLExecutor
    private let cachePolicy: CachePolicy
    /// The kind of the app's authentication and a digest of its token, for the keys of cached responses.
    private let identity: String

    /// Creates a client.
    ///
    /// `context` and `cachePolicy` apply to calls that do not override them. By default, a failed operation gets at most three attempts
    /// within 30 seconds, and no response is cached.
    public init(
        configuration: StorefrontConfiguration,
        environment: IdentityEnvironment,
        context: StorefrontContext = StorefrontContext(),
        retry: RetryLimits = .standard,
        cache: (any ResponseCache)? = nil,
        cachePolicy: CachePolicy = .networkOnly,
        observers: [any GraphQLObserver] = []
    ) {
        self.configuration = configuration
        self.context = context
        self.environment = environment
        self.cachePolicy = cachePolicy
        executor = GraphQLExecutor(
            endpoint: configuration.graphQLEndpoint,
            environment: environment,
            retry: retry,
            cache: cache,
            observers: observers
        )
        identity =
            switch configuration.authentication {
            case .privateToken(let token): "private " + ResponseCacheKey.name(of: token)
            case .publicToken(let token): "public " + ResponseCacheKey.name(of: Secret(token))
            case .tokenless: "tokenless"
            }
    }

    /// The time limit of an operation with all its attempts and pauses, from its start.
    var deadline: Duration { executor.deadline }

    /// Executes an operation that must return data.
    ///
    /// `context` overrides values of the client's context. With a nil `cachePolicy`, the client's policy applies.
    ///
    /// - Returns: The data, and the GraphQL errors that left parts of the data null.
    /// - Throws: `IdentityError` when there is no response with usable data. The kind is `IdentityError.Kind.retryLater` for throttling and
    ///   outages, also for an HTML page or an empty response. It is `IdentityError.Kind.configuration` for a wrong token, scope, shop or
    ///   version. It is `IdentityError.Kind.rejected` for errors of the document and for other responses that are not GraphQL. With code
    ///   `IdentityError.Code.outcomeUnknown`, and after a cancellation, Shopify may have executed a mutation. Find out whether Shopify did
    ///   so before you repeat the mutation.
    public func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        cachePolicy: CachePolicy? = nil
    ) async throws -> StorefrontResult<Operation.Output> {
        try await executor.execute(operation, try call(context, cachePolicy))
    }

    /// Executes an operation that must return data; no attempt starts or continues after `deadline`, a time of the monotonic clock.
    package func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        until deadline: Duration?
    ) async throws -> StorefrontResult<Operation.Output> {
        var call = try call(context, nil)
        call.deadline = deadline
        return try await executor.execute(operation, call)
    }

    /// Returns the error to throw when a result has GraphQL errors, and its data cannot be used because of them.
    package func failure<Output>(of result: StorefrontResult<Output>, _ document: GraphQLDocument) -> IdentityError {
        // If the app's token may not read customers, most responses with a cart have the error `ACCESS_DENIED`. If there are other errors,
        // only these explain the failure.
        let others = result.errors.filter { $0.code != .accessDenied || !$0.path.contains("customer") }
        return executor.failure(others.isEmpty ? result.errors : others, result.metadata, document)
    }

    /// Executes an operation and returns data, errors or both.
    ///
    /// - Throws: `IdentityError` when Shopify returns no GraphQL response with a 2xx status, or when a response without errors has
    ///   unreadable data.
    public func executePartial<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        cachePolicy: CachePolicy? = nil
    ) async throws -> PartialStorefrontResult<Operation.Output> {
        try await executor.executePartial(operation, try call(context, cachePolicy))
    }

    /// Repeats an operation until `isDone` returns true for its result.
    ///
    /// The cache is not used.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - context: Values that override the client's context.
    ///   - interval: The pause between polls when the server gives no hint; at least 0.1 seconds.
    ///   - timeout: How long to poll, at most a year. The last request may take up to two seconds more.
    ///   - hint: Reads from a result when Shopify wants the next poll; nil if the result contains no such time. The pause after a hint is
    ///     at least 0.1 and at most 60 seconds.
    ///   - isDone: Whether a result ends the polling.
    /// - Returns: The first result for which `isDone` returns true.
    /// - Throws: `IdentityError` in the same cases as ``execute(_:in:cachePolicy:)``; with code `IdentityError.Code.pollTimeout` and a
    ///   `PollTimeout` as its cause when the timeout ends after at least one result; with code `IdentityError.Code.invalidRequest` for a
    ///   mutation whose document has another `repetition` than `always`. Also the errors of `isDone`.
    public func poll<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        every interval: Duration = .seconds(2),
        timeout: Duration = .seconds(60),
        hint: @escaping @Sendable (Operation.Output) -> PollHint? = { _ in nil },
        until isDone: @escaping @Sendable (Operation.Output) throws -> Bool
    ) async throws -> StorefrontResult<Operation.Output> {
        try await executor.poll(operation, every: interval, timeout: timeout, hint: hint, until: isDone) {
            try call(context, .networkOnly)
        }
    }

    private func call(
        _ override: StorefrontContext,
        _ cachePolicy: CachePolicy?
    ) throws(IdentityError) -> GraphQLCall {
        let context = context.overridden(by: override)
        var call = GraphQLCall()
        call.context = context.variables
        call.identity = identity
        call.isPersonal = context.buyer != nil
        call.cachePolicy = cachePolicy ?? self.cachePolicy
        call.session = context.session
        try addHeaders(for: context, to: &call)
        return call
    }
}

/// The data of a response, with its errors and metadata.
public typealias StorefrontResult<Output: Sendable> = GraphQLResult<Output>

/// A response that may have data, errors or both.
public typealias PartialStorefrontResult<Output: Sendable> = PartialGraphQLResult<Output>
