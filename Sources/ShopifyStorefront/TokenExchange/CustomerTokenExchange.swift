public import IdentityHTTP
public import IdentityKit
internal import ShopifyGraphQL

/// Exchanges a Customer Account access token for a Storefront token (`storefrontCustomerAccessTokenCreate`).
///
/// Shopify has deprecated this mutation since API version 2025-01, because carts accept the access token itself. Use the exchange only for
/// a shop that rejects the access token with "Customer is invalid". The mutation belongs to the Customer Account API. The new token expires
/// with the access token and is not stored, so it is requested again whenever the adapter puts the buyer on a cart.
public struct CustomerTokenExchange: Sendable {
    /// The Customer Account API's GraphQL endpoint.
    public let endpoint: HTTPURL
    private let executor: GraphQLExecutor

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - endpoint: The Customer Account API's GraphQL endpoint, from its discovery document.
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
                refusalCode: .customerAccountRefused,
                advice: GraphQLEndpoint.Advice(
                    refused: "Check that the token belongs to this shop and has the scope customer-account-api:full.",
                    denied:
                        "Request the scope customer-account-api:full at the login; this customer's access token does not have it.",
                    notFound: "Check the endpoint of the Customer Account API.",
                    redirected: "Take the endpoint from the shop's discovery document.",
                    tooMany: "Wait before the next request.",
                    attack: "Wait before you repeat the request."
                )
            ),
            environment: environment
        )
    }

    func storefrontToken(for token: CustomerAccessToken) async throws -> CustomerAccessToken {
        var call = GraphQLCall(secrets: [token.token])
        do { try call.headers.set("Authorization", token.token.reveal()) } catch {
            throw IdentityError(
                .rejected,
                .identityRejected,
                "The customer's token contains characters that an HTTP header cannot contain.",
                hint: "Let the buyer sign in again: the stored token is not one that Shopify issued.",
                reference: "RFC 9110 section 5.5"
            )
        }
        let answer: StorefrontToken.Output
        do { answer = try await executor.execute(StorefrontToken(), call).data } catch {
            // 401 means that Shopify rejects this buyer's token. The other refusals, such as 403 for a missing scope, concern the app
            // or the shop.
            guard error.code == .customerAccountRefused, error.providerResponse?.status == 401 else { throw error }
            throw error.recast(as: .rejected, code: .identityRejected)
        }
        guard let storefrontToken = answer.customerAccessToken, !storefrontToken.isEmpty else {
            throw IdentityError(
                .rejected,
                .identityRejected,
                "Shopify returned no Storefront token for the customer's access token.",
                hint: "Check that the customer still exists.",
                reference: "Storefront API reference, storefrontCustomerAccessTokenCreate"
            )
        }
        return CustomerAccessToken(issuedByShopify: storefrontToken, expiresAt: token.expiresAt, issuer: token.issuer)
    }
}
