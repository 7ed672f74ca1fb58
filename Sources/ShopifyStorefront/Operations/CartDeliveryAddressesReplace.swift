internal import IdentityKit
public import ShopifyGraphQL

/// Puts delivery addresses on a cart in the place of all others (`cartDeliveryAddressesReplace`).
public struct CartDeliveryAddressesReplace: GraphQLOperation {
    /// The cart.
    public var cartID: CartID
    /// The addresses, at most 20.
    public var addresses: [CartDeliveryAddressInput]
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = GraphQLDocument(
        name: "CartDeliveryAddressesReplace",
        kind: .mutation,
        text: """
            mutation CartDeliveryAddressesReplace(
              $cartId: ID!, $addresses: [CartSelectableAddressInput!]!, \(CartFields.parameters)
            ) \(CartFields.context) {
              cartDeliveryAddressesReplace(cartId: $cartId, addresses: $addresses) {
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
    public init(cartID: CartID, addresses: [CartDeliveryAddressInput], selection: CartSelection = .full) {
        self.cartID = cartID
        self.addresses = addresses
        self.selection = selection
    }

    /// Cart, addresses, context and selection.
    public var variables: GraphQLInputObject {
        var variables = selection.variables
        variables.set("cartId", cartID.rawValue)
        variables.set("addresses", addresses)
        return variables
    }

    /// The payload.
    public typealias Output = CartPayload
}
