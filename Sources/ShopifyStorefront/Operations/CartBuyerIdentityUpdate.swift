public import IdentityKit

/// Sets or clears whose cart it is, and answers with a fresh checkout URL (`cartBuyerIdentityUpdate`).
///
/// It sets a state, so it may be repeated.
public struct CartBuyerIdentityUpdate: StorefrontOperation {
    /// The cart.
    public var cartID: CartID
    /// The buyer.
    public var buyerIdentity: CartBuyerIdentityInput
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = """
        mutation CartBuyerIdentityUpdate(
          $cartId: ID!, $buyerIdentity: CartBuyerIdentityInput!, \(CartFields.parameters)
        ) \(CartFields.context) {
          cartBuyerIdentityUpdate(cartId: $cartId, buyerIdentity: $buyerIdentity) {
            cart { ...CartFields checkoutUrl }
            \(CartFields.problems)
          }
        }
        \(CartFields.fragment)
        """

    /// Creates the operation.
    public init(cartID: CartID, buyerIdentity: CartBuyerIdentityInput, selection: CartSelection = .full) {
        self.cartID = cartID
        self.buyerIdentity = buyerIdentity
        self.selection = selection
    }

    /// Cart, buyer, context and selection.
    public func variables(in context: StorefrontContext) -> JSONObject {
        var variables = selection.variables(in: context)
        variables["cartId"] = .string(cartID.rawValue)
        variables["buyerIdentity"] = .object(buyerIdentity.object)
        return variables
    }

    /// Reads the payload.
    public static func output(from data: JSONValue) throws -> CartPayload {
        try CartPayload(AnswerNode(data)["cartBuyerIdentityUpdate"])
    }
}
