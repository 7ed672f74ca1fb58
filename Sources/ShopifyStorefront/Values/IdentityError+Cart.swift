internal import IdentityKit
internal import ShopifyGraphQL

extension IdentityError {
    static func refusal(of errors: [CartUserError], _ metadata: GraphQLMetadata?) -> IdentityError {
        let isOutage = errors.contains { $0.code == .serviceUnavailable }
        return IdentityError(
            isOutage ? .retryLater : .rejected,
            .cartUserErrors,
            isOutage ? "Shopify cannot change the cart at the moment." : "Shopify rejected the input for the cart.",
            hint: isOutage
                ? "If the session has a cart, read the cart, because earlier requests of this call may have changed it. Then repeat the "
                    + "missing changes: Shopify did not carry out the last request."
                : "Read the rejected fields and Shopify's messages in the error's cause, CartUserErrors, and correct the input.",
            reference: "Storefront API reference, CartUserError",
            providerResponse: ProviderResponse(
                error: (errors.first?.code?.rawValue).map { ForeignName.shown($0) },
                errorDescription: (errors.first?.field).map { ForeignName.shown($0) },
                status: metadata?.status,
                traceID: metadata?.requestID
            ),
            cause: CartUserErrors(errors: errors)
        )
    }

    static func cartIsGone(_ metadata: GraphQLMetadata?) -> IdentityError {
        IdentityError(
            .rejected,
            .cartGone,
            "Shopify has no cart with this id: the cart's order was placed, the cart has expired, or the id is wrong.",
            hint:
                "If the app passed the cart's id, check the id. After a logout, attach, detach or remove call, do nothing. Otherwise "
                + "call add(_:for:in:): it creates a cart if the session has none.",
            reference: "Storefront API reference, cart",
            providerResponse: metadata.map { IdentityError.ProviderResponse($0) }
        )
    }
}
