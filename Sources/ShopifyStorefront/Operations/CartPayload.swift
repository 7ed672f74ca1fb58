public import IdentityKit
public import ShopifyGraphQL

/// The result of a cart mutation.
public struct CartPayload: Sendable {
    /// The cart; nil if the response has no cart, which can happen even without user errors.
    public let cart: Cart?
    /// The URL of the checkout, if the operation reads it.
    public let checkoutURL: CheckoutURL?
    /// Why Shopify rejected the change; empty if Shopify did not reject it.
    public let userErrors: [CartUserError]
    /// Shopify's warnings.
    public let warnings: [CartWarning]

    /// Returns the cart if Shopify made the change.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartUserErrors` when Shopify rejected the change; with code
    ///   `IdentityError.Code.outcomeUnknown` when the response has neither a cart nor a user error, so Shopify may have made the change. If
    ///   you pass the response's `metadata`, the error has the id of the request.
    public func checked(_ metadata: GraphQLMetadata? = nil) throws(IdentityError) -> Cart {
        guard userErrors.isEmpty else { throw IdentityError.refusal(of: userErrors, metadata) }
        guard let cart else {
            throw IdentityError(
                .retryLater,
                .outcomeUnknown,
                "Shopify's response contains neither the cart nor a user error, so the change may have been made.",
                hint: """
                    If the request named a cart, read the cart before you repeat the change, because the cart may no longer exist. If the \
                    request creates a cart, repeat the request: a cart whose id is unknown expires.
                    """,
                reference: "Storefront API reference, cart",
                providerResponse: metadata.map { IdentityError.ProviderResponse($0) }
            )
        }
        return cart
    }
}

extension CartPayload: GraphQLReadable {
    /// Reads the result of a cart mutation.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        // The members of `CartWithCheckout` are read one by one, because this struct would be copied.
        let answer = try node.member("cart")
        self.init(
            cart: try Cart?(answer),
            checkoutURL: answer.isNull ? nil : try answer.field("checkoutUrl"),
            userErrors: try node.field("userErrors"),
            warnings: try node.field("warnings")
        )
    }
}
