internal import IdentityKit
internal import IdentityOIDC

/// Shopify's issuers, which have the same form for every shop.
///
/// A shop's discovery document, its endpoints and its issuer may have three different hosts. So the SDK does not compare the issuer with
/// the discovery URL. Unless `issuers` is configured, it checks that the issuer is `https://shopify.com/authentication/{shop id}`.
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

    /// The issuers that a client accepts: the configured ones, else the issuer of the configured shop, else every shop's issuer.
    static func policy(shopID: String?, issuers: [String]?) -> IssuerPolicy {
        if let issuers { return .exactly(issuers) }
        if let shopID { return .exactly([issuer(shopID: shopID)]) }
        return IssuerPolicy(summary: prefix + "{shop id}") { ShopifyIssuer.shopID(in: $0) != nil }
    }
}
