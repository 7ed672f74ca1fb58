internal import ShopifyGraphQL

// The buyer's identity must not get into logs, nor Shopify's texts, which may contain it. These types print which values they have,
// and not the values.

extension StorefrontContext: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Country and language, and whether there is an IP.
    public var description: String {
        "StorefrontContext(buyerIP: \(buyerIP == nil ? "none" : "<private>"), \(country ?? "-"), \(language ?? "-"))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Cart.BuyerIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether there is a customer.
    public var description: String { customerID == nil ? "no customer" : "<private customer>" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CartUserError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code and field, without the message.
    public var description: String {
        "\(code.map { ForeignName.shown($0.rawValue) } ?? "no code") at \(ForeignName.shown(field))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CartWarning: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The code, without message and target, which can contain the cart's token.
    public var description: String { ForeignName.shown(code.rawValue) }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
