internal import IdentityKit
internal import ShopifyGraphQL

/// The cart of an operation no longer exists.
///
/// Its binding must be removed.
struct CartGone: Error {}

/// A mutation's response, classified.
struct CartMutationResponse: Sendable {
    enum Outcome: Sendable {
        case done(Cart)
        /// Neither a cart nor an error.
        case silent
        case gone
        /// Shopify rejected the customer access token.
        case tokenRefused([CartUserError])
        case refused([CartUserError])
    }

    let payload: CartPayload
    /// Whether a missing customer means that the cart has none, and not that the token may not see it.
    let seesCustomer: Bool
    let outcome: Outcome

    init(_ result: StorefrontResult<CartPayload>, selection: CartSelection) throws(IdentityError) {
        payload = result.data
        seesCustomer = selection.seesCustomer(despite: result.errors)
        let errors = payload.userErrors
        if errors.contains(where: { $0.code == .serviceUnavailable }) { throw .refusal(of: errors) }
        if errors.isEmpty {
            outcome = payload.cart.map { .done($0) } ?? .silent
        } else if errors.contains(where: Self.saysGone) {
            outcome = .gone
        } else if errors.contains(where: Self.refusesToken) {
            outcome = .tokenRefused(errors)
        } else {
            outcome = .refused(errors)
        }
    }

    /// The field decides.
    ///
    /// The message, which is translated, decides only when there is no field.
    private static func saysGone(_ error: CartUserError) -> Bool {
        if error.field.last == "cartId" { return error.code == .invalid || error.code == nil }
        return error.field.isEmpty && error.message.utf8.elementsEqual("The specified cart does not exist.".utf8)
    }

    /// Shopify has no code for an invalid token.
    ///
    /// Code and field decide together, never the message.
    private static func refusesToken(_ error: CartUserError) -> Bool {
        error.code == .invalid && error.field.last == "customerAccessToken"
    }
}
