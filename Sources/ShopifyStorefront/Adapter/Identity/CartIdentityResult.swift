internal import IdentityKit
internal import ShopifyGraphQL

/// The cart of a response, with the outcome of putting the buyer's identity on it.
struct CartIdentityResult: Sendable {
    var cart: Cart
    var checkoutURL: CheckoutURL?
    var warnings: [CartWarning] = []
    /// The parts of the identity that Shopify rejected, or whose form it does not accept.
    var omitted: [String] = []
    var problem: IdentityError?
    /// Whether the response shows that Shopify accepted the customer access token.
    var isConfirmed = false
    var customer: CustomerVisibility
    var metadata: GraphQLMetadata

    var lacksCustomer: Bool { customer == .shown && cart.buyerIdentity.customerID == nil }

    /// Lists the whole address as omitted, and no longer its fields.
    mutating func omitAddress() {
        omitted.removeAll { $0.hasPrefix("address.") }
        omitted.append("address")
    }

    mutating func update(from later: CartIdentityResult) {
        cart = later.cart
        checkoutURL = later.checkoutURL
        warnings += later.warnings
        customer = later.customer
        metadata = later.metadata
    }

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

extension Cart {
    var hasContact: Bool { buyerIdentity.email?.isEmpty == false || buyerIdentity.phone?.isEmpty == false }
}
