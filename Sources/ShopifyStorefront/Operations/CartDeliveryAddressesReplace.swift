public import IdentityKit

/// Puts delivery addresses on a cart in the place of all others (`cartDeliveryAddressesReplace`).
public struct CartDeliveryAddressesReplace: StorefrontOperation {
    /// The cart.
    public var cartID: CartID
    /// The addresses, at most 20.
    public var addresses: [CartDeliveryAddressInput]
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = """
        mutation CartDeliveryAddressesReplace(
          $cartId: ID!, $addresses: [CartSelectableAddressInput!]!, \(CartFields.parameters)
        ) \(CartFields.context) {
          cartDeliveryAddressesReplace(cartId: $cartId, addresses: $addresses) {
            cart { ...CartFields checkoutUrl }
            \(CartFields.problems)
          }
        }
        \(CartFields.fragment)
        """

    /// Creates the operation.
    public init(cartID: CartID, addresses: [CartDeliveryAddressInput], selection: CartSelection = .full) {
        self.cartID = cartID
        self.addresses = addresses
        self.selection = selection
    }

    /// Cart, addresses, context and selection.
    public func variables(in context: StorefrontContext) -> JSONObject {
        var variables = selection.variables(in: context)
        variables["cartId"] = .string(cartID.rawValue)
        variables["addresses"] = .array(addresses.map { .object($0.object) })
        return variables
    }

    /// Reads the payload.
    public static func output(from data: JSONValue) throws -> CartPayload {
        try CartPayload(AnswerNode(data)["cartDeliveryAddressesReplace"])
    }
}
