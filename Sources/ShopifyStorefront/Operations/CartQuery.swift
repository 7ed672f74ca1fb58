internal import IdentityKit
public import ShopifyGraphQL

/// Reads a cart (`cart`); its checkout URL too where that is asked for.
public struct CartQuery: GraphQLOperation {
    /// What the query answers.
    public struct Output: GraphQLReadable {
        /// The cart; nil when there is no such cart.
        public let cart: Cart?
        /// Where to pay, where it was asked for.
        public let checkoutURL: CheckoutURL?

        /// Reads the data; null is a cart that is gone.
        public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            let cart = AnswerNode(node)["cart"]
            var found: Cart?
            if let cart = cart.optional { found = try Cart(cart) }
            self.cart = found
            checkoutURL = try CheckoutURL(cart["checkoutUrl"])
        }
    }

    /// The cart.
    public var cartID: CartID
    /// Whether the checkout URL is wanted, which is a credential; no unless given.
    public var readsCheckoutURL: Bool
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = GraphQLDocument(
        name: "Cart",
        kind: .query,
        text: """
            query Cart($cartId: ID!, $readsCheckoutURL: Boolean!, \(CartFields.parameters)) \(CartFields.context) {
              cart(id: $cartId) { ...CartFields checkoutUrl @include(if: $readsCheckoutURL) }
            }
            \(CartFields.fragment)
            """,
        contextVariables: CartFields.contextVariables
    )

    /// Creates the operation.
    public init(cartID: CartID, readsCheckoutURL: Bool = false, selection: CartSelection = .full) {
        self.cartID = cartID
        self.readsCheckoutURL = readsCheckoutURL
        self.selection = selection
    }

    /// Cart, context and selection.
    public var variables: GraphQLInputObject {
        var variables = selection.variables
        variables.set("cartId", cartID.rawValue)
        variables.set("readsCheckoutURL", readsCheckoutURL)
        return variables
    }
}
