/// Builds and checks Shopify's issuers: `https://shopify.com/authentication/{shop id}`.
///
/// The SDK does not compare a shop's issuer with its discovery URL (OpenID Connect Discovery section 4.3), because their hosts may differ.
enum ShopifyIssuer {
    private static let prefix = "https://shopify.com/authentication/"

    static func issuer(shopID: String) -> String { prefix + shopID }

    static func shopID(in issuer: String) -> String? {
        guard issuer.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = String(decoding: issuer.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return isShopID(rest) ? rest : nil
    }

    /// Whether a text is a shop id: digits without a leading zero, within 64 bits.
    static func isShopID(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.utf8.first != 0x30 && UInt64(text) != nil
    }
}
