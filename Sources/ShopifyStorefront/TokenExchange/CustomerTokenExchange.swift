public import IdentityHTTP
public import IdentityKit
internal import ShopifyGraphQL

/// Exchanges a Customer Account access token for a Storefront token (`storefrontCustomerAccessTokenCreate`).
///
/// Shopify has deprecated this mutation of the Customer Account API since API version 2025-01, because carts accept the access token
/// itself. Use the exchange only for a shop that rejects the access token with "Customer is invalid". The Storefront token expires with the
/// access token. The adapter does not store the Storefront token, and requests a new one each time it puts the buyer on a cart.
public struct CustomerTokenExchange: Sendable {
    /// The Customer Account API's GraphQL endpoint.
    public let endpoint: HTTPURL
    private let api: CustomerAccountAPI

    /// Creates an exchange.
    ///
    /// `endpoint` comes from the discovery document of the Customer Account API. Shopify requires an `origin`, for example
    /// `https://shop.example`, from a public web client. `allowsLoopbackHTTP` permits plain http to loopback addresses, for tests.
    public init(
        endpoint: HTTPURL,
        origin: String? = nil,
        environment: IdentityEnvironment,
        allowsLoopbackHTTP: Bool = false
    ) {
        self.endpoint = endpoint
        var configuration = CustomerAccountAPI.Configuration(
            hosts: ShopifyEndpointHosts.list(nil, shop: endpoint.host),
            version: .v2026_10,
            shop: endpoint.text
        )
        configuration.endpoint = endpoint
        configuration.origin = origin
        configuration.allowsLoopbackHTTP = allowsLoopbackHTTP
        configuration.endpointMember = "endpoint of CustomerTokenExchange"
        configuration.shopAndVersionMembers = configuration.endpointMember
        api = CustomerAccountAPI(configuration, environment: environment, retry: .standard)
    }

    /// Exchanges a customer's access token for a Storefront token.
    ///
    /// - Throws: `IdentityError`; with code `accessTokenRefused` when Shopify rejects the token and may accept a refreshed token, and with
    ///   code `identityRejected` when Shopify returns user errors instead of a token, or neither a token nor an error.
    func storefrontToken(for token: CustomerAccessToken) async throws -> CustomerAccessToken {
        let call = try api.call(accessToken: token.token)
        let executor = try await api.executor()
        let result = try await executor.execute(StorefrontToken(), call)
        guard let storefrontToken = result.data.customerAccessToken, !storefrontToken.isEmpty else {
            let errors = result.data.userErrors.map { error in
                CartUserError(code: nil, field: error.field ?? [], message: error.message)
            }
            if errors.isEmpty, !result.errors.isEmpty {
                throw executor.failure(result.errors, result.metadata, StorefrontToken.document)
            }
            let refusal = IdentityError.refusal(of: errors, result.metadata)
            throw IdentityError(
                .rejected,
                .identityRejected,
                "Shopify returned no Storefront token for the customer's access token.",
                hint: errors.isEmpty
                    ? "Check that the customer still exists."
                    : "Read Shopify's reason in the error's cause, CartUserErrors.",
                reference: "Customer Account API reference, storefrontCustomerAccessTokenCreate",
                providerResponse: refusal.providerResponse,
                cause: errors.isEmpty ? nil : refusal.cause
            )
        }
        return CustomerAccessToken(issuedByShopify: storefrontToken, expiresAt: token.expiresAt, issuer: token.issuer)
    }
}
