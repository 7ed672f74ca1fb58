internal import IdentityKit
public import ShopifyGraphQL

/// Sets or clears whose cart it is, and answers with a fresh checkout URL (`cartBuyerIdentityUpdate`).
///
/// It sets a state, so it may be repeated.
public struct CartBuyerIdentityUpdate: GraphQLOperation {
    /// The cart.
    public var cartID: CartID
    /// The buyer.
    public var buyerIdentity: CartBuyerIdentityInput
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = GraphQLDocument(
        name: "CartBuyerIdentityUpdate",
        kind: .mutation,
        text: """
            mutation CartBuyerIdentityUpdate(
              $cartId: ID!, $buyerIdentity: CartBuyerIdentityInput!, \(CartFields.parameters)
            ) \(CartFields.context) {
              cartBuyerIdentityUpdate(cartId: $cartId, buyerIdentity: $buyerIdentity) {
                cart { ...CartFields checkoutUrl }
                \(CartFields.problems)
              }
            }
            \(CartFields.fragment)
            """,
        contextVariables: CartFields.contextVariables,
        repetition: .always
    )

    /// Creates the operation.
    public init(cartID: CartID, buyerIdentity: CartBuyerIdentityInput, selection: CartSelection = .full) {
        self.cartID = cartID
        self.buyerIdentity = buyerIdentity
        self.selection = selection
    }

    /// Cart, buyer, context and selection.
    public var variables: GraphQLInputObject {
        var variables = selection.variables
        variables.set("cartId", cartID.rawValue)
        variables.set("buyerIdentity", buyerIdentity)
        return variables
    }

    /// The payload.
    public typealias Output = CartPayload
}
