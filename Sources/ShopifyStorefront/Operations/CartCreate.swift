public import IdentityKit

/// Creates a cart, with the buyer's identity in the same call (`cartCreate`).
public struct CartCreate: StorefrontOperation {
    /// The lines.
    public var lines: [CartLineInput]
    /// The buyer.
    public var buyerIdentity: CartBuyerIdentityInput
    /// Delivery addresses.
    public var addresses: [CartDeliveryAddressInput]
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = """
        mutation CartCreate($input: CartInput, \(CartFields.parameters)) \(CartFields.context) {
          cartCreate(input: $input) { cart { ...CartFields } \(CartFields.problems) }
        }
        \(CartFields.fragment)
        """

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
    public func variables(in context: StorefrontContext) -> JSONObject {
        var input = JSONObject()
        if !lines.isEmpty { input["lines"] = .array(lines.map { .object($0.object) }) }
        let identity = buyerIdentity.object
        if !identity.members.isEmpty { input["buyerIdentity"] = .object(identity) }
        if !addresses.isEmpty {
            input["delivery"] = .object(["addresses": .array(addresses.map { .object($0.object) })])
        }
        var variables = selection.variables(in: context)
        variables["input"] = .object(input)
        return variables
    }

    /// Reads the payload.
    public static func output(from data: JSONValue) throws -> CartPayload {
        try CartPayload(AnswerNode(data)["cartCreate"])
    }
}
