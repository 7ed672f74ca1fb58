public import IdentityKit
public import ShopifyGraphQL

/// What a cart mutation answers.
public struct CartPayload: Sendable {
    /// The cart; Shopify may leave it out, with user errors and without.
    public let cart: Cart?
    /// Where to pay, where the operation asks for it.
    public let checkoutURL: CheckoutURL?
    /// Why the change was refused; empty when it was made.
    public let userErrors: [CartUserError]
    /// What did not go as wished.
    public let warnings: [CartWarning]

    /// The cart of a change that was made.
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
            "The cart is gone.",
            hint: "Its order is complete or it has expired. The next line begins a new one."
        )
    }

    static func refusal(of errors: [CartUserError]) -> IdentityError {
        let isOutage = errors.contains { $0.code == .serviceUnavailable }
        return IdentityError(
            isOutage ? .retryLater : .rejected,
            .cartUserErrors,
            "Shopify refused the change of the cart.",
            hint: "See the error's cause for the fields.",
            providerAnswer: ProviderAnswer(
                error: (errors.first?.code?.rawValue).map { ForeignName.shown($0) },
                errorDescription: (errors.first?.field).map { ForeignName.shown($0) }
            ),
            cause: CartUserErrors(errors: errors)
        )
    }
}
