internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyGraphQL

extension AuthClient {
    /// Creates a cart with one product variant for the buyer, with the shop's Storefront API.
    ///
    /// Pass the shop's public `storefrontAccessToken` to the initializer. The SDK never repeats this request, because a second request
    /// would create a second cart. Use `CartAdapter` in `ShopifyStorefront` if the cart's lines change, if its buyer must be updated after
    /// a refresh or a logout, or if its requests must contain the buyer's IP address.
    ///
    /// - Parameters:
    ///   - variantId: The global id of the product variant, for example `gid://shopify/ProductVariant/12345`.
    ///   - accessToken: The buyer's access token, as the token endpoint returned it.
    /// - Returns: The URL of the web checkout. Any browser that opens this URL is signed in as the buyer. So redirect the buyer's
    ///   browser at once, and do not store or log the URL.
    /// - Throws: `IdentityError`, for example with one of these codes. Code `identity_rejected`: Shopify does not accept the access token.
    ///   Code `cart_user_errors`: Shopify rejects the variant, or cannot create the cart at the moment (kind `retryLater`). Code
    ///   `storefront_refused`: Shopify rejects the Storefront token, its scopes, the shop or the API version. Code `outcome_unknown`: the
    ///   request was sent and no usable response arrived, so Shopify may have created the cart.
    public func createAuthenticatedCart(variantId: String, accessToken: String) async throws -> String {
        try await Correlation.scope {
            let provider = try provider()
            guard let storefrontAccessToken else {
                throw IdentityError(
                    configuration: "AuthClient has no Storefront access token.",
                    hint: "Pass the shop's public Storefront access token as storefrontAccessToken to the initializer.",
                    reference: "Storefront API reference, authentication"
                )
            }
            var call = GraphQLCall(secrets: [storefrontAccessToken, Secret(accessToken)])
            call.isPersonal = true
            do {
                try call.headers.set("X-Shopify-Storefront-Access-Token", storefrontAccessToken.reveal())
            } catch {
                throw IdentityError(
                    configuration: "The Storefront access token is not a valid value of an HTTP header.",
                    hint: "Copy the Storefront access token without line breaks.",
                    reference: "Storefront API reference, authentication"
                )
            }
            let mutation = AuthenticatedCartCreate(variantId: variantId, accessToken: Secret(accessToken))
            let storefront = try provider.storefront()
            let result = try await storefront.execute(mutation, call)
            // If the response has GraphQL errors and no cart, Shopify may still have created the cart. So the GraphQL errors are thrown
            // here, because `checked()` would report that Shopify created no cart.
            if !result.errors.isEmpty, result.data.checkoutURL == nil, result.data.userErrors.isEmpty {
                throw storefront.failure(result.errors, result.metadata, AuthenticatedCartCreate.document)
            }
            return try result.data.checked()
        }
    }
}

extension ShopifyProvider {
    fileprivate func storefront() throws(IdentityError) -> GraphQLExecutor {
        let version = ShopifyAPIVersion(rawValue: configuration.apiVersion)
        guard let url = try? configuration.domain?.url.replacing(path: "/api/\(version.rawValue)/graphql.json") else {
            throw ShopifyConfigurationProblem(
                member: "shopDomain",
                problem: "is missing",
                hint: "Set shopDomain: the Storefront API is at the shop's domain.",
                reference: "Storefront API reference"
            ).error()
        }
        return GraphQLExecutor(
            endpoint: GraphQLEndpoint(
                name: "The Storefront API",
                shop: url.host,
                url: url,
                version: version,
                allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
                timeout: configuration.timeout,
                access: "the public Storefront token",
                refusalCode: .storefrontRefused,
                addressPolicy: httpClient.addressPolicy(for: url),
                advice: GraphQLEndpoint.Advice(
                    refused: "Check that storefrontAccessToken is a public token of this shop and was not revoked.",
                    denied: "Give the Storefront access token the scope unauthenticated_write_checkouts.",
                    notFound: "Check shopDomain and apiVersion.",
                    redirected: "Set shopDomain to the domain that serves the API, for example SHOP.myshopify.com.",
                    tooMany: "Wait before the next request.",
                    attack:
                        "Wait before the next request. On a server, use CartAdapter and pass the buyer's IP address."
                )
            ),
            environment: environment,
            retry: .none
        )
    }
}
