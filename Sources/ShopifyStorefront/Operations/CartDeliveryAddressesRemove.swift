internal import IdentityKit
public import ShopifyGraphQL

/// Takes delivery addresses off a cart (`cartDeliveryAddressesRemove`).
public struct CartDeliveryAddressesRemove: GraphQLOperation {
    /// The cart.
    public var cartID: CartID
    /// The ids of the addresses on the cart.
    public var addressIDs: [String]
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = GraphQLDocument(
        name: "CartDeliveryAddressesRemove",
        kind: .mutation,
        text: """
            mutation CartDeliveryAddressesRemove(
              $cartId: ID!, $addressIds: [ID!]!, \(CartFields.parameters)
            ) \(CartFields.context) {
              cartDeliveryAddressesRemove(cartId: $cartId, addressIds: $addressIds) {
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
    public init(cartID: CartID, addressIDs: [String], selection: CartSelection = .full) {
        self.cartID = cartID
        self.addressIDs = addressIDs
        self.selection = selection
    }

    /// Cart, addresses, context and selection.
    public var variables: GraphQLInputObject {
        var variables = selection.variables
        variables.set("cartId", cartID.rawValue)
        variables.set("addressIds", addressIDs)
        return variables
    }

    /// The payload.
    public typealias Output = CartPayload
}
