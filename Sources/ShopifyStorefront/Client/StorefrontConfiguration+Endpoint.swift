internal import ShopifyGraphQL

extension StorefrontConfiguration {
    /// The API's description for the executor.
    var graphQLEndpoint: GraphQLEndpoint {
        GraphQLEndpoint(
            name: "The Storefront API",
            shop: shopDomain,
            url: endpoint,
            version: apiVersion,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: timeout,
            access: authentication.name,
            refusalCode: .storefrontRefused,
            advice: GraphQLEndpoint.Advice(
                refused:
                    "Check that the token belongs to this shop, has the configured kind, and was not revoked.",
                denied: "Grant the scopes that the operation needs. Carts need unauthenticated_write_checkouts.",
                notFound: "Check shopDomain and apiVersion.",
                redirected: "Set shopDomain to the domain that serves the API, usually the myshopify.com one.",
                tooMany: "Wait before the next request. With a private token, pass the buyer's IP with every call.",
                attack:
                    "Pass the buyer's IP with every call (StorefrontContext.buyerIP), and wait before you repeat it."
            )
        )
    }
}
