internal import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// Calls one shop's Storefront API.
///
/// A value that may be used from any task. Copies share the cache and what was reported once: make one for a shop and keep it. All
/// clients for a shop in this process share its circuit breaker.
///
/// Operations are repeated as `RetryPolicy` and their documents allow. Nothing is cached unless there is a cache and a policy asks
/// for it.
public struct StorefrontClient: Sendable {
    /// How the API is called.
    public let configuration: StorefrontConfiguration
    /// For whom and where calls are made, unless a call says otherwise.
    public let context: StorefrontContext
    let environment: IdentityEnvironment
    private let executor: GraphQLExecutor
    private let cachePolicy: CachePolicy
    /// Names the token in the keys of a cache.
    private let identity: String

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - configuration: How the API is called.
    ///   - environment: Transport, clock and randomness.
    ///   - context: For whom and where calls are made, unless a call says otherwise; nothing unless given.
    ///   - retry: When operations are repeated; three attempts within 30 seconds unless given.
    ///   - cache: What keeps answers; nothing does unless given.
    ///   - cachePolicy: Whether the cache may answer, unless a call says otherwise; the network alone unless given.
    ///   - observers: Who hears of what happens to operations.
    public init(
        configuration: StorefrontConfiguration,
        environment: IdentityEnvironment,
        context: StorefrontContext = StorefrontContext(),
        retry: RetryPolicy = .standard,
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

    /// After how long no attempt at an operation goes on.
    var deadline: Duration { executor.deadline }

    /// Carries out an operation whose data are needed.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - context: What differs from the client's own context.
    ///   - cachePolicy: Whether the cache may answer; as the client says unless given.
    /// - Returns: The data, and the errors that left parts of them null.
    /// - Throws: `IdentityError` where there are no data: kind `IdentityError.Kind.retryLater` for outages and throttling,
    ///   `IdentityError.Kind.configuration` for token, scope, shop and version, `IdentityError.Kind.rejected` for errors of
    ///   the document and answers that are none. With code `IdentityError.Code.outcomeUnknown`, and after a cancellation, a
    ///   mutation may have been carried out, and must not be sent again before that is known.
    public func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        cachePolicy: CachePolicy? = nil
    ) async throws -> StorefrontResult<Operation.Output> {
        try await executor.execute(operation, try call(context, cachePolicy))
    }

    /// Carries out an operation and returns whatever came: data, errors or both.
    ///
    /// - Throws: `IdentityError` where there is no GraphQL answer, or data without errors that cannot be read.
    public func executePartial<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext(),
        cachePolicy: CachePolicy? = nil
    ) async throws -> PartialStorefrontResult<Operation.Output> {
        try await executor.executePartial(operation, try call(context, cachePolicy))
    }

    /// Carries out an operation again and again until its answer is what is waited for.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - context: What differs from the client's own context.
    ///   - interval: The pause between polls where the server gives no hint; 2 seconds unless given.
    ///   - timeout: How long to go on; a minute unless given.
    ///   - hint: When the server wants to be asked again, by an answer; a hint counts for 0.1 to 60 seconds.
    ///   - isDone: Whether an answer is what is waited for.
    /// - Throws: `IdentityError`, as ``execute(_:in:cachePolicy:)``; with code `IdentityError.Code.pollTimeout` and a
    ///   `PollTimeout` as its cause when the time is over; and whatever `isDone` throws.
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
        var call = GraphQLCall(
            context: context.variables,
            identity: identity,
            isPersonal: context.buyer != nil,
            cachePolicy: cachePolicy ?? self.cachePolicy,
            session: context.session
        )
        if let address = context.buyerIP { call.secrets.append(Secret(address)) }
        do {
            switch configuration.authentication {
            case .privateToken(let token):
                call.secrets.append(token)
                try call.headers.set("Shopify-Storefront-Private-Token", token.reveal())
                if let address = context.buyerIP {
                    guard StorefrontContext.isAddress(address) else { throw Self.invalidAddress }
                    try call.headers.set("Shopify-Storefront-Buyer-IP", address)
                }
            case .publicToken(let token): try call.headers.set("X-Shopify-Storefront-Access-Token", token)
            case .tokenless: break
            }
        } catch let error as IdentityError {
            throw error
        } catch {
            throw StorefrontConfiguration.invalid(
                "A Storefront token cannot stand in an HTTP header.",
                "Copy it without line breaks."
            )
        }
        return call
    }

    private static var invalidAddress: IdentityError {
        IdentityError(
            .rejected,
            .invalidRequest,
            "The buyer's IP is not an IP address.",
            hint: "Pass one address without port, as the app's own proxy tells it."
        )
    }
}
