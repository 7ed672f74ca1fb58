public import IdentityKit

/// Reads a cart (`cart`); its checkout URL too where that is asked for.
public struct CartQuery: StorefrontOperation {
    /// What the query answers; nil when there is no such cart.
    public struct Answer: Sendable {
        /// The cart.
        public let cart: Cart
        /// Where to pay, where it was asked for.
        public let checkoutURL: CheckoutURL?
    }

    /// The cart.
    public var cartID: CartID
    /// Whether the checkout URL is wanted, which is a credential; no unless given.
    public var readsCheckoutURL: Bool
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = """
        query Cart($cartId: ID!, $readsCheckoutURL: Boolean!, \(CartFields.parameters)) \(CartFields.context) {
          cart(id: $cartId) { ...CartFields checkoutUrl @include(if: $readsCheckoutURL) }
        }
        \(CartFields.fragment)
        """

    /// Creates the operation.
    public init(cartID: CartID, readsCheckoutURL: Bool = false, selection: CartSelection = .full) {
        self.cartID = cartID
        self.readsCheckoutURL = readsCheckoutURL
        self.selection = selection
    }

    /// Cart, context and selection.
    public func variables(in context: StorefrontContext) -> JSONObject {
        var variables = selection.variables(in: context)
        variables["cartId"] = .string(cartID.rawValue)
        variables["readsCheckoutURL"] = .bool(readsCheckoutURL)
        return variables
    }

    /// Reads the cart; null is a cart that is gone.
    public static func output(from data: JSONValue) throws -> Answer? {
        guard let cart = AnswerNode(data)["cart"].optional else { return nil }
        return Answer(cart: try Cart(cart), checkoutURL: try CheckoutURL(cart["checkoutUrl"]))
    }
}
