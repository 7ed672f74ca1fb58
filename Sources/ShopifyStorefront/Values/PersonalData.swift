public import IdentityKit
internal import ShopifyGraphQL

// Logs must not contain the buyer's identity, nor Shopify's messages, which may contain the identity. So these descriptions contain
// neither.

extension StorefrontContext: Redacted {
    /// Country and language, and whether there is an IP.
    public var description: String {
        "StorefrontContext(buyerIP: \(buyerIP == nil ? "none" : "<private>"), \(country ?? "-"), \(language ?? "-"))"
    }
}

extension Cart.BuyerIdentity: Redacted {
    /// Whether there is a customer.
    public var description: String { customerID == nil ? "no customer" : "<private customer>" }
}

extension CartUserError: Redacted {
    /// Code and field, without the message.
    public var description: String {
        "\(code.map { ForeignName.shown($0.rawValue) } ?? "no code") at \(ForeignName.shown(field))"
    }
}

extension CartWarning: Redacted {
    /// The code, without message and target, which can contain the cart's token.
    public var description: String { ForeignName.shown(code.rawValue) }
}
