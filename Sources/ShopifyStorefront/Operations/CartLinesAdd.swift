internal import IdentityKit
public import ShopifyGraphQL

/// Adds lines to a cart (`cartLinesAdd`); not to be repeated blindly, it adds again.
public struct CartLinesAdd: GraphQLOperation {
    /// The cart.
    public var cartID: CartID
    /// The lines, at most 250.
    public var lines: [CartLineInput]
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = GraphQLDocument(
        name: "CartLinesAdd",
        kind: .mutation,
        text: """
            mutation CartLinesAdd($cartId: ID!, $lines: [CartLineInput!]!, \(CartFields.parameters)) \(CartFields.context) {
              cartLinesAdd(cartId: $cartId, lines: $lines) { cart { ...CartFields } \(CartFields.problems) }
            }
            \(CartFields.fragment)
            """,
        contextVariables: CartFields.contextVariables,
        repetition: .afterReading
    )

    /// Creates the operation.
    public init(cartID: CartID, lines: [CartLineInput], selection: CartSelection = .full) {
        self.cartID = cartID
        self.lines = lines
        self.selection = selection
    }

    /// Cart, lines, context and selection.
    public var variables: GraphQLInputObject {
        var variables = selection.variables
        variables.set("cartId", cartID.rawValue)
        variables.set("lines", lines)
        return variables
    }

    /// The payload.
    public typealias Output = CartPayload
}
