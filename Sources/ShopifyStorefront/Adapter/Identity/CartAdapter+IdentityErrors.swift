internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    static func identityRejected(_ errors: [CartUserError], _ metadata: GraphQLMetadata) -> IdentityError {
        let refusal = IdentityError.refusal(of: errors, metadata)
        return IdentityError(
            .rejected,
            .identityRejected,
            "Shopify rejected the buyer's customer access token for the cart.",
            hint:
                "Check that the customer access token belongs to this shop. A Customer Account token also needs the scope "
                + "customer-account-api:full. If shop and scope are right, let the buyer sign in again. If the shop rejects every "
                + "Customer Account token and CartPolicy.exchange is nil, set CartPolicy.exchange.",
            reference: "Storefront API reference, cartBuyerIdentityUpdate",
            providerResponse: refusal.providerResponse,
            cause: refusal.cause
        )
    }

    static var notIssued: IdentityError {
        IdentityError(
            .rejected,
            .cartNotIssued,
            "The cart's id came from an untrusted source, so no identity is put on the cart.",
            hint:
                "If the buyer's browser cannot change the cart's id, call adopt(_:for:isTrusted:in:) with isTrusted: true. Otherwise "
                + "call create(_:for:in:) for a new cart."
        )
    }

    static func customerRemains(_ metadata: GraphQLMetadata) -> IdentityError {
        IdentityError(
            .retryLater,
            .detachIncomplete,
            "The cart still has a customer after the request to remove the customer.",
            hint: "Call attach(to:in:) or checkout(for:in:options:) again. Do not give the cart to another buyer.",
            reference: "Storefront API reference, cartBuyerIdentityUpdate",
            providerResponse: IdentityError.ProviderResponse(metadata)
        )
    }

    static func identityMissing(_ metadata: GraphQLMetadata) -> IdentityError {
        IdentityError(
            .rejected,
            .identityMissing,
            "Shopify accepted the customer access token, but the cart has no customer.",
            hint: "Check that the customer access token belongs to this shop.",
            reference: "Storefront API reference, cartBuyerIdentityUpdate",
            providerResponse: IdentityError.ProviderResponse(metadata)
        )
    }
}
