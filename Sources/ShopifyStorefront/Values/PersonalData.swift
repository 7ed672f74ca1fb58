public import IdentityKit
internal import ShopifyGraphQL

// Descriptions get into logs. So the descriptions in this file contain no personal data of the buyer, and no message of Shopify, which may
// quote personal data.

extension StorefrontContext: Redacted {
    /// Country and language, and whether the IP is set, without the IP; `…` replaces a country or language that is not a code.
    public var description: String {
        let (country, language) = (country.map(ForeignName.shown) ?? "-", language.map(ForeignName.shown) ?? "-")
        return "StorefrontContext(buyerIP: \(buyerIP == nil ? "none" : "<private>"), \(country), \(language))"
    }
}

extension Cart.BuyerIdentity: Redacted {
    /// A text that says whether the cart has a customer.
    public var description: String { customerID == nil ? "no customer" : "<private customer>" }
}

extension CartUserError: Redacted {
    /// Code and field, without the message.
    public var description: String {
        "\(code.map { ForeignName.shown($0.rawValue) } ?? "no code") at \(ForeignName.shown(field))"
    }
}

extension CartWarning: Redacted {
    /// The code, without message and target, because these can contain the cart's token.
    public var description: String { ForeignName.shown(code.rawValue) }
}
