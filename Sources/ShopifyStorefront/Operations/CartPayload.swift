public import IdentityKit
public import ShopifyGraphQL

/// The result of a cart mutation.
public struct CartPayload: Sendable {
    /// The cart.
    ///
    /// Shopify may omit it, with and without user errors.
    public let cart: Cart?
    /// The URL of the checkout, if the operation reads it.
    public let checkoutURL: CheckoutURL?
    /// Why the change was rejected; empty when it was made.
    public let userErrors: [CartUserError]
    /// Shopify's warnings.
    public let warnings: [CartWarning]

    /// The cart, if the change was made.
    ///
    /// - Throws: `IdentityError` with code `IdentityError.Code.cartUserErrors` or `IdentityError.Code.cartGone`.
    public func checked() throws(IdentityError) -> Cart {
        guard userErrors.isEmpty else { throw IdentityError.refusal(of: userErrors) }
        guard let cart else { throw IdentityError.cartIsGone }
        return cart
    }
}

extension CartPayload: GraphQLReadable {
    /// Reads what a cart mutation returns.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        let answer: CartAnswer? = try node.field("cart")
        cart = answer?.cart
        checkoutURL = answer?.checkoutURL
        userErrors = try node.field("userErrors")
        warnings = try node.field("warnings")
    }
}

extension IdentityError {
    static var cartIsGone: IdentityError {
        IdentityError(
            .rejected,
            .cartGone,
            "The cart no longer exists.",
            hint: "Add a line to create a new cart. The cart's order was placed, or the cart has expired.",
            reference: "Storefront API reference, cart"
        )
    }

    static func refusal(of errors: [CartUserError]) -> IdentityError {
        let isOutage = errors.contains { $0.code == .serviceUnavailable }
        return IdentityError(
            isOutage ? .retryLater : .rejected,
            .cartUserErrors,
            "Shopify rejected the change of the cart.",
            hint: "The error's cause, CartUserErrors, lists the rejected fields and Shopify's messages.",
            reference: "Storefront API reference, CartUserError",
            providerAnswer: ProviderAnswer(
                error: (errors.first?.code?.rawValue).map { ForeignName.shown($0) },
                errorDescription: (errors.first?.field).map { ForeignName.shown($0) }
            ),
            cause: CartUserErrors(errors: errors)
        )
    }
}
