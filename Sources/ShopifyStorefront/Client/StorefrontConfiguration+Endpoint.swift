internal import ShopifyGraphQL

extension StorefrontConfiguration {
    /// The API in the words of the executor.
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
