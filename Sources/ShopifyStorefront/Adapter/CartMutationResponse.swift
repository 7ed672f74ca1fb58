internal import IdentityKit
internal import ShopifyGraphQL

/// A mutation's response, classified.
struct CartMutationResponse: Sendable {
    enum Outcome: Sendable {
        case done(Cart)
        /// Neither a cart nor an error.
        case empty
        case gone
        /// Shopify rejected the customer access token.
        case tokenRefused([CartUserError])
        case refused([CartUserError])
    }

    let payload: CartPayload
    /// Whether the token may read the cart's customer.
    ///
    /// Only then a missing customer means that the cart has none.
    let seesCustomer: Bool
    let outcome: Outcome

    init(_ result: StorefrontResult<CartPayload>, selection: CartSelection) throws(IdentityError) {
        payload = result.data
        seesCustomer = selection.seesCustomer(despite: result.errors)
        let errors = payload.userErrors
        if errors.contains(where: { $0.code == .serviceUnavailable }) { throw .refusal(of: errors) }
        if errors.isEmpty {
            outcome = payload.cart.map { .done($0) } ?? .empty
        } else if errors.contains(where: Self.saysGone) {
            outcome = .gone
        } else if errors.contains(where: Self.refusesToken) {
            outcome = .tokenRefused(errors)
        } else {
            outcome = .refused(errors)
        }
    }

    /// Whether an error says that the cart no longer exists.
    ///
    /// The field of the error decides. The message decides only when there is no field, because Shopify translates messages.
    private static func saysGone(_ error: CartUserError) -> Bool {
        if error.field.last == "cartId" { return error.code == .invalid || error.code == nil }
        return error.field.isEmpty && error.message.utf8.elementsEqual("The specified cart does not exist.".utf8)
    }

    /// Whether an error rejects the customer access token.
    ///
    /// Shopify has no error code for an invalid token, so code and field together decide, never the message.
    private static func refusesToken(_ error: CartUserError) -> Bool {
        error.code == .invalid && error.field.last == "customerAccessToken"
    }
}
