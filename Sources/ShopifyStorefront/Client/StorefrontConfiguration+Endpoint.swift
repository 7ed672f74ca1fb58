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
                refused: authentication.hasToken
                    ? "Check that the token belongs to this shop, has the configured kind, and was not revoked."
                    : "Configure a private or a public token of the shop.",
                denied: authentication.hasToken
                    ? "Grant the scopes that the operation needs. Carts need unauthenticated_write_checkouts."
                    : "Configure a token with the scopes that the operation needs.",
                notFound: "Check shopDomain, apiVersion and, if it is set, endpoint.",
                redirected: "Set shopDomain (or endpoint, if it is set) to the address that serves the API.",
                tooMany: "Wait before the next request. With a private token, pass the buyer's IP with every call.",
                attack: sendsBuyerIP
                    ? "Pass the buyer's IP with every call (StorefrontContext.buyerIP), and wait before you repeat the request."
                    : "Wait before you repeat the request. On a server, use a private token, and pass the buyer's IP with every call."
            )
        )
    }

    /// Only requests with a private token have the buyer's IP.
    private var sendsBuyerIP: Bool {
        if case .privateToken = authentication { true } else { false }
    }
}
