internal import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// Calls one shop's Storefront API.
///
/// A value that may be used from any task; nothing is cached and nothing retried.
public struct StorefrontClient: Sendable {
    /// How the API is called.
    public let configuration: StorefrontConfiguration
    let environment: IdentityEnvironment
    private let executor: GraphQLExecutor

    /// Makes a client.
    public init(configuration: StorefrontConfiguration, environment: IdentityEnvironment) {
        self.configuration = configuration
        self.environment = environment
        executor = GraphQLExecutor(endpoint: configuration.graphQLEndpoint, environment: environment)
    }

    /// Carries out an operation whose data are needed.
    ///
    /// - Returns: The data, and the errors that left parts of them null.
    /// - Throws: `IdentityError` where there are no data: kind `IdentityError.Kind.retryLater` for outages and throttling,
    ///   `IdentityError.Kind.configuration` for token, scope, shop and version, `IdentityError.Kind.rejected` for errors of
    ///   the document and answers that are none.
    public func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> StorefrontResult<Operation.Output> {
        try await executor.execute(operation, try call(context))
    }

    /// Carries out an operation and returns whatever came: data, errors or both.
    ///
    /// - Throws: `IdentityError` where there is no GraphQL answer, or data without errors that cannot be read.
    public func executePartial<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> PartialStorefrontResult<Operation.Output> {
        try await executor.executePartial(operation, try call(context))
    }

    private func call(_ context: StorefrontContext) throws(IdentityError) -> GraphQLCall {
        var call = GraphQLCall(context: context.variables)
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

extension StorefrontConfiguration {
    /// The API in the words of the executor.
    var graphQLEndpoint: GraphQLEndpoint {
        GraphQLEndpoint(
            name: "The Storefront API",
            url: endpoint,
            version: apiVersion,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: timeout,
            access: authentication.name,
            userAgent: "IdentityKit/0.1 (ShopifyStorefront)",
            refusalCode: .storefrontRefused,
            advice: GraphQLEndpoint.Advice(
                refused:
                    "Check that the token belongs to this shop, is of the kind it is configured as, and was not revoked.",
                denied: "Grant the scopes that the operation needs; for carts unauthenticated_write_checkouts.",
                notFound: "Check shopDomain and apiVersion.",
                redirected: "Set shopDomain to the domain that serves the API, usually the myshopify.com one.",
                tooMany: "Wait before the next one; with a private token, pass the buyer's IP with every call.",
                attack:
                    "Pass the buyer's IP with every call (StorefrontContext.buyerIP), and do not repeat at once."
            )
        )
    }
}
