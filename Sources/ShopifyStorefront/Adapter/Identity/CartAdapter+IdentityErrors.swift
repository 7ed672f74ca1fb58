internal import IdentityKit
internal import ShopifyGraphQL

// The reasons why the identity is not on a cart.

extension CartAdapter {
    static func identityRejected(_ errors: [CartUserError], _ metadata: GraphQLMetadata) -> IdentityError {
        let refusal = IdentityError.refusal(of: errors, metadata)
        return IdentityError(
            .rejected,
            .identityRejected,
            "Shopify rejected the buyer's customer access token for the cart.",
            hint:
                "Check that the token belongs to this shop. A Customer Account token also needs the scope customer-account-api:full. "
                + "If both are right, let the buyer sign in again. If the shop rejects every Customer Account token, set "
                + "CartPolicy.exchange.",
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
                "Create a cart for the session, or adopt the cart with isTrusted if no browser can have chosen its id."
        )
    }

    static func identityMissing(_ metadata: GraphQLMetadata) -> IdentityError {
        IdentityError(
            .rejected,
            .identityMissing,
            "Shopify accepted the customer access token, but the cart has no customer.",
            hint: "Check that the token belongs to this shop.",
            reference: "Storefront API reference, cartBuyerIdentityUpdate",
            providerResponse: IdentityError.ProviderResponse(metadata)
        )
    }
}
