internal import IdentityKit
public import ShopifyGraphQL

/// Creates a cart, with the buyer's identity in the same call (`cartCreate`).
public struct CartCreate: GraphQLOperation {
    /// The lines.
    public var lines: [CartLineInput]
    /// The buyer.
    public var buyerIdentity: CartBuyerIdentityInput
    /// Delivery addresses.
    public var addresses: [CartDeliveryAddressInput]
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = GraphQLDocument(
        name: "CartCreate",
        kind: .mutation,
        text: """
            mutation CartCreate($input: CartInput, \(CartFields.parameters)) \(CartFields.context) {
              cartCreate(input: $input) { cart { ...CartFields } \(CartFields.problems) }
            }
            \(CartFields.fragment)
            """,
        contextVariables: CartFields.contextVariables,
        repetition: .once
    )

    /// Creates the operation.
    public init(
        lines: [CartLineInput],
        buyerIdentity: CartBuyerIdentityInput = CartBuyerIdentityInput(),
        addresses: [CartDeliveryAddressInput] = [],
        selection: CartSelection = .full
    ) {
        self.lines = lines
        self.buyerIdentity = buyerIdentity
        self.addresses = addresses
        self.selection = selection
    }

    /// The input, the context and the selection.
    public var variables: GraphQLInputObject {
        var input = GraphQLInputObject()
        if !lines.isEmpty { input.set("lines", lines) }
        if !buyerIdentity.object.members.isEmpty { input.set("buyerIdentity", buyerIdentity) }
        if !addresses.isEmpty {
            var delivery = GraphQLInputObject()
            delivery.set("addresses", addresses)
            input.set("delivery", delivery)
        }
        var variables = selection.variables
        variables.set("input", input)
        return variables
    }

    /// The payload.
    public typealias Output = CartPayload
}
