internal import IdentityKit

/// Shopify's response for a cart, and the accepted parts of the identity.
struct CartIdentityResult: Sendable {
    var cart: Cart
    var checkoutURL: CheckoutURL?
    var warnings: [CartWarning] = []
    /// The parts of the identity that Shopify did not accept.
    var omitted: [String] = []
    var problem: IdentityError?
    /// Whether this response showed that Shopify accepted the token.
    var isConfirmed = false
    /// Whether the token may read the cart's customer.
    ///
    /// Only then a missing customer means that the cart has none.
    var seesCustomer: Bool

    var lacksCustomer: Bool { seesCustomer && cart.buyerIdentity.customerID == nil }

    /// Takes cart, checkout URL and ``seesCustomer`` from a later response, and appends its warnings.
    mutating func update(from later: CartIdentityResult) {
        cart = later.cart
        checkoutURL = later.checkoutURL
        warnings += later.warnings
        seesCustomer = later.seesCustomer
    }

    /// This later response with the warnings of an earlier one, and the problem of either.
    func after(_ earlier: CartIdentityResult) -> CartIdentityResult {
        var later = self
        later.warnings = earlier.warnings + warnings
        later.problem = problem ?? earlier.problem
        return later
    }

    func sessionCart(_ binding: CartBinding) -> SessionCart {
        SessionCart(
            cart: cart,
            identity: binding.state,
            warnings: warnings,
            omitted: omitted,
            problem: problem
        )
    }
}
