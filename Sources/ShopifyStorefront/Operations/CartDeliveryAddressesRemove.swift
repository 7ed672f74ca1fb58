public import IdentityKit

/// Takes delivery addresses off a cart (`cartDeliveryAddressesRemove`).
public struct CartDeliveryAddressesRemove: StorefrontOperation {
    /// The cart.
    public var cartID: CartID
    /// The ids of the addresses on the cart.
    public var addressIDs: [String]
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = """
        mutation CartDeliveryAddressesRemove(
          $cartId: ID!, $addressIds: [ID!]!, \(CartFields.parameters)
        ) \(CartFields.context) {
          cartDeliveryAddressesRemove(cartId: $cartId, addressIds: $addressIds) {
            cart { ...CartFields checkoutUrl }
            \(CartFields.problems)
          }
        }
        \(CartFields.fragment)
        """

    /// Creates the operation.
    public init(cartID: CartID, addressIDs: [String], selection: CartSelection = .full) {
        self.cartID = cartID
        self.addressIDs = addressIDs
        self.selection = selection
    }

    /// Cart, addresses, context and selection.
    public func variables(in context: StorefrontContext) -> JSONObject {
        var variables = selection.variables(in: context)
        variables["cartId"] = .string(cartID.rawValue)
        variables["addressIds"] = .array(addressIDs.map { .string($0) })
        return variables
    }

    /// Reads the payload.
    public static func output(from data: JSONValue) throws -> CartPayload {
        try CartPayload(AnswerNode(data)["cartDeliveryAddressesRemove"])
    }
}
