internal import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// Calls one shop's Customer Account API in a buyer's name.
///
/// A value that may be used from any task; copies share what was learnt of the shop. It takes no token but a `CustomerAccessToken`, so
/// that no other provider's token ever goes to Shopify. Nothing is cached: answers are one buyer's own.
///
/// ``CustomerAccount`` is the shorter way for a session.
public struct CustomerAccountClient: Sendable {
    /// How the API is called.
    public let configuration: CustomerAccountConfiguration
    private let api: CustomerAccountAPI

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - configuration: How the API is called.
    ///   - environment: Transport, clock and randomness.
    ///   - retry: When operations are repeated; three attempts within 30 seconds unless given.
    ///   - observers: Who hears of what happens to operations.
    public init(
        configuration: CustomerAccountConfiguration,
        environment: IdentityEnvironment,
        retry: RetryPolicy = .standard,
        observers: [any GraphQLObserver] = []
    ) {
        self.configuration = configuration
        var api = CustomerAccountAPI.Configuration(
            hosts: configuration.hosts,
            version: configuration.apiVersion,
            shop: configuration.shopDomain,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            members: CustomerAccountAPI.Members(endpoint: "endpoint", shopAndVersion: "shopDomain and apiVersion")
        )
        api.endpoint = configuration.endpoint
        api.discoveryURL = configuration.discovery
        api.origin = configuration.origin
        self.api = CustomerAccountAPI(api, environment: environment, retry: retry, observers: observers)
    }

    /// Carries out an operation whose data are needed.
    ///
    /// - Returns: The data, and the errors that left parts of them null: without Shopify's approval for protected customer data,
    ///   names and contacts are.
    /// - Throws: `IdentityError`. Code `IdentityError.Code.accessTokenRefused` when a newer token may help,
    ///   `IdentityError.Code.customerAccountRefused` for app, scope, shop and version; throttling is of kind
    ///   `IdentityError.Kind.retryLater`. With code `IdentityError.Code.outcomeUnknown` a mutation may have been carried out.
    public func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        as customer: CustomerAccessToken,
        in context: CustomerAccountContext = CustomerAccountContext()
    ) async throws -> GraphQLResult<Operation.Output> {
        try await executor().execute(operation, try api.call(accessToken: customer.token, context: context.variables))
    }

    /// Carries out an operation and returns whatever came: data, errors or both.
    ///
    /// - Throws: `IdentityError` where there is no GraphQL answer, or data without errors that cannot be read.
    public func executePartial<Operation: GraphQLOperation>(
        _ operation: Operation,
        as customer: CustomerAccessToken,
        in context: CustomerAccountContext = CustomerAccountContext()
    ) async throws -> PartialGraphQLResult<Operation.Output> {
        try await executor().executePartial(
            operation,
            try api.call(accessToken: customer.token, context: context.variables)
        )
    }

    private func executor() async throws(IdentityError) -> GraphQLExecutor {
        guard let executor = try await api.executor() else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The configuration has no URL of the Customer Account API.",
                hint: "Set shopDomain or endpoint."
            )
        }
        return executor
    }
}
