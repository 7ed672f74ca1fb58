internal import IdentityKit
internal import IdentityOIDC

/// Shopify's issuers: the same form for every shop, whatever hosts its endpoints are on.
///
/// Discovery, endpoints and issuer may be on three hosts, so the rule that an issuer is where discovery was asked does not
/// hold here; the form of the issuer, with the shop's number in it, is what is pinned instead.
enum ShopifyIssuer {
    private static let prefix = "https://shopify.com/authentication/"

    /// The issuer of a shop.
    static func issuer(shopID: String) -> String { prefix + shopID }

    /// The number of the shop whose issuer this is, or nil when it is no issuer of Shopify's.
    static func shopID(in issuer: String) -> String? {
        guard issuer.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = String(decoding: issuer.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return isShopID(rest) ? rest : nil
    }

    /// Whether a text is the number of a shop: digits, no zero in front, as many as fit into 64 bits.
    static func isShopID(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.utf8.first != 0x30 && UInt64(text) != nil
    }

    /// Which issuers a client accepts.
    static func policy(shopID: String?, issuers: [String]?) -> IssuerPolicy {
        if let issuers { return .exactly(issuers) }
        if let shopID { return .exactly([issuer(shopID: shopID)]) }
        return IssuerPolicy(summary: prefix + "{shop id}") { ShopifyIssuer.shopID(in: $0) != nil }
    }
}
