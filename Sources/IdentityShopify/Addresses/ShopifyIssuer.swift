internal import IdentityKit
internal import IdentityOIDC

/// Shopify's issuers, which have the same form for every shop.
///
/// Discovery, endpoints and issuer may be on three hosts, so the issuer cannot be compared with the discovery URL. The form of the
/// issuer, with the shop id in it, is checked instead.
enum ShopifyIssuer {
    private static let prefix = "https://shopify.com/authentication/"

    /// The issuer of a shop.
    static func issuer(shopID: String) -> String { prefix + shopID }

    /// The shop id in an issuer; nil if the issuer is not Shopify's.
    static func shopID(in issuer: String) -> String? {
        guard issuer.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = String(decoding: issuer.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return isShopID(rest) ? rest : nil
    }

    /// Whether a text is a shop id: digits without a leading zero, within 64 bits.
    static func isShopID(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.utf8.first != 0x30 && UInt64(text) != nil
    }

    /// The issuers that a client accepts.
    static func policy(shopID: String?, issuers: [String]?) -> IssuerPolicy {
        if let issuers { return .exactly(issuers) }
        if let shopID { return .exactly([issuer(shopID: shopID)]) }
        return IssuerPolicy(summary: prefix + "{shop id}") { ShopifyIssuer.shopID(in: $0) != nil }
    }
}
