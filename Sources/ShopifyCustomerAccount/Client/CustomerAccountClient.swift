internal import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// Calls one shop's Customer Account API for a buyer.
///
/// ```swift
/// let client = CustomerAccountClient(
///     configuration: try CustomerAccountConfiguration(shopDomain: "example.myshopify.com"),
///     environment: environment
/// )
/// let account = CustomerAccount(of: session.id, client: client, sessions: sessions)
/// ```
///
/// You can use the client from any task. Copies of the client share the discovered URL. The client accepts only a `CustomerAccessToken`,
/// so that no other provider's token is sent to Shopify. It does not cache responses, because they are personal. For a session of
/// `SessionManager`, use ``CustomerAccount``.
public struct CustomerAccountClient: Sendable {
    /// The shop, the API version and the settings of requests.
    public let configuration: CustomerAccountConfiguration
    private let api: CustomerAccountAPI

    /// Creates a client; by default, an operation gets at most three attempts within 30 seconds.
    public init(
        configuration: CustomerAccountConfiguration,
        environment: IdentityEnvironment,
        retry: RetryLimits = .standard,
        observers: [any GraphQLObserver] = []
    ) {
        self.configuration = configuration
        var api = CustomerAccountAPI.Configuration(
            hosts: configuration.hosts,
            version: configuration.apiVersion,
            shop: configuration.shopDomain
        )
        api.timeout = configuration.timeout
        api.allowsLoopbackHTTP = configuration.allowsLoopbackHTTP
        api.endpoint = configuration.endpoint
        api.discoveryURL = configuration.discovery
        api.origin = configuration.origin
        self.api = CustomerAccountAPI(api, environment: environment, retry: retry, observers: observers)
    }

    /// Executes an operation that must return data.
    ///
    /// - Returns: The data, and the GraphQL errors that left parts of the data null. Names and contacts are null if Shopify has not
    ///   approved the app for protected customer data.
    /// - Throws: `IdentityError`. Code `IdentityError.Code.unsupportedByProvider` for the token of a legacy customer, which is not sent.
    ///   Code `IdentityError.Code.accessTokenRefused` when Shopify rejected the token and may accept a newer token,
    ///   `IdentityError.Code.customerAccountRefused` when the app, its scopes, the shop or the version do not permit the operation.
    ///   Throttling has kind `IdentityError.Kind.retryLater`. With code `IdentityError.Code.outcomeUnknown`, and after a cancellation,
    ///   Shopify may have executed a mutation.
    public func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        as customer: CustomerAccessToken,
        in context: CustomerAccountContext = CustomerAccountContext()
    ) async throws -> GraphQLResult<Operation.Output> {
        let call = try call(as: customer, in: context)
        return try await api.executor().execute(operation, call)
    }

    /// Executes an operation and returns data, errors or both.
    ///
    /// - Throws: `IdentityError` when Shopify returns no GraphQL response with a 2xx status, or when a response without errors has
    ///   unreadable data.
    public func executePartial<Operation: GraphQLOperation>(
        _ operation: Operation,
        as customer: CustomerAccessToken,
        in context: CustomerAccountContext = CustomerAccountContext()
    ) async throws -> PartialGraphQLResult<Operation.Output> {
        let call = try call(as: customer, in: context)
        return try await api.executor().executePartial(operation, call)
    }

    func change<Operation: GraphQLOperation, Value>(
        _ operation: Operation,
        as customer: CustomerAccessToken,
        in context: CustomerAccountContext,
        returning value: (Operation.Output) -> Value?
    ) async throws -> Value where Operation.Output: CustomerPayload {
        let call = try call(as: customer, in: context)
        let executor = try await api.executor()
        let result = try await executor.execute(operation, call)
        try CustomerUserErrors.check(result.data.entries, result.metadata)
        if let value = value(result.data) { return value }
        guard result.errors.isEmpty else {
            throw executor.failure(result.errors, result.metadata, Operation.document)
        }
        throw IdentityError(
            .rejected,
            .unexpectedResponse,
            "The Customer Account API's response to a change contains no result and no error.",
            hint: "Read the customer to check whether Shopify carried out the change.",
            reference: "Customer Account API reference, userErrors",
            providerResponse: IdentityError.ProviderResponse(result.metadata)
        )
    }

    private func call(
        as customer: CustomerAccessToken,
        in context: CustomerAccountContext
    ) throws(IdentityError) -> GraphQLCall {
        guard !customer.isLegacy else {
            throw IdentityError(
                unsupported: "The Customer Account API does not accept the token of a legacy customer.",
                hint: "For a session of LegacyPasswordProvider, use LegacyCustomerAccount instead of CustomerAccount.",
                reference: "Customer Account API reference, authorization"
            )
        }
        return try api.call(accessToken: customer.token, context: context.variables)
    }

    /// Fetches the URL of the API if it is not configured and not in memory.
    ///
    /// Every operation fetches the URL if needed. Call this method when the program starts, to find a wrong shop domain early.
    ///
    /// - Throws: `IdentityError` when the discovery fails.
    public func discover() async throws(IdentityError) {
        _ = try await api.executor()
    }
}
