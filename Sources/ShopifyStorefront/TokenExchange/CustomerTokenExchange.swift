public import IdentityHTTP
public import IdentityKit
internal import ShopifyGraphQL

/// Exchanges a Customer Account access token for a Storefront one (`storefrontCustomerAccessTokenCreate`).
///
/// Deprecated by Shopify since 2025-01, because carts take the access token itself: only for a shop that answers
/// "Customer is invalid" to that. The mutation is one of the Customer Account API and is posted to that one. What it gives dies with
/// the access token, so it is asked for again with every attach that follows a renewal.
public struct CustomerTokenExchange: Sendable {
    /// The Customer Account API's GraphQL endpoint.
    public let endpoint: HTTPURL
    private let executor: GraphQLExecutor

    /// Describes an exchange.
    ///
    /// - Parameters:
    ///   - endpoint: The Customer Account API's GraphQL endpoint, as its discovery document names it.
    ///   - environment: HTTP.
    ///   - allowsLoopbackHTTP: Whether plain http to 127.0.0.1 and [::1] is permitted, for tests on one machine.
    public init(endpoint: HTTPURL, environment: IdentityEnvironment, allowsLoopbackHTTP: Bool = false) {
        self.endpoint = endpoint
        executor = GraphQLExecutor(
            endpoint: GraphQLEndpoint(
                name: "The Customer Account API",
                shop: endpoint.text,
                url: endpoint,
                version: .v2026_10,
                allowsLoopbackHTTP: allowsLoopbackHTTP,
                access: "the customer's access token",
                refusalCode: .identityRejected,
                advice: GraphQLEndpoint.Advice(
                    refused: "Check that the token is this shop's and has the scope customer-account-api:full.",
                    denied: "Grant the scope customer-account-api:full.",
                    notFound: "Check the endpoint of the Customer Account API.",
                    redirected: "Take the endpoint from the shop's discovery document.",
                    tooMany: "Wait before the next one.",
                    attack: "Do not repeat at once."
                )
            ),
            environment: environment
        )
    }

    func storefrontToken(for token: CustomerAccessToken) async throws -> CustomerAccessToken {
        var call = GraphQLCall(secrets: [token.token])
        do { try call.headers.set("Authorization", token.token.reveal()) } catch {
            throw IdentityError(.rejected, .identityRejected, "The customer's token cannot stand in a header.")
        }
        let answer = try await executor.execute(StorefrontToken(), call).data
        guard let storefrontToken = answer.customerAccessToken, !storefrontToken.isEmpty else {
            throw IdentityError(
                .rejected,
                .identityRejected,
                "Shopify exchanged no Storefront token for the customer's access token.",
                hint: "Check that the customer still exists."
            )
        }
        return CustomerAccessToken(issuedByShopify: storefrontToken, expiresAt: token.expiresAt, issuer: token.issuer)
    }
}
