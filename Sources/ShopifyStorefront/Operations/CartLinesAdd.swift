public import IdentityKit

/// Adds lines to a cart (`cartLinesAdd`); not to be repeated blindly, it adds again.
public struct CartLinesAdd: StorefrontOperation {
    /// The cart.
    public var cartID: CartID
    /// The lines, at most 250.
    public var lines: [CartLineInput]
    /// How much of the cart to read.
    public var selection: CartSelection

    /// The document.
    public static let document = """
        mutation CartLinesAdd($cartId: ID!, $lines: [CartLineInput!]!, \(CartFields.parameters)) \(CartFields.context) {
          cartLinesAdd(cartId: $cartId, lines: $lines) { cart { ...CartFields } \(CartFields.problems) }
        }
        \(CartFields.fragment)
        """

    /// Creates the operation.
    public init(cartID: CartID, lines: [CartLineInput], selection: CartSelection = .full) {
        self.cartID = cartID
        self.lines = lines
        self.selection = selection
    }

    /// Cart, lines, context and selection.
    public func variables(in context: StorefrontContext) -> JSONObject {
        var variables = selection.variables(in: context)
        variables["cartId"] = .string(cartID.rawValue)
        variables["lines"] = .array(lines.map { .object($0.object) })
        return variables
    }

    /// Reads the payload.
    public static func output(from data: JSONValue) throws -> CartPayload {
        try CartPayload(AnswerNode(data)["cartLinesAdd"])
    }
}
