internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import ShopifyGraphQL

/// The URLs that follow from a shop's domain or id, and the forms of redirect URIs.
///
/// The documents at these URLs are fetched and cached by `MetadataSource` (IdentityOIDC) and `CustomerAccountAPI` (ShopifyGraphQL).
enum ShopifyURLs {
    /// The URL of discovery: the configured one, otherwise the one of the shop's domain or of Shopify; nil if all endpoints
    /// are configured.
    static func discovery(_ configuration: ShopifyProvider.Configuration) -> HTTPURL? {
        if let url = configuration.endpoints.discovery { return url }
        if configuration.endpoints.isComplete { return nil }
        let path = "/.well-known/openid-configuration"
        if let domain = configuration.domain { return try? domain.url.replacing(path: path) }
        return configuration.shopID.flatMap { try? HTTPURL(ShopifyIssuer.issuer(shopID: $0) + path) }
    }

    /// The endpoints of every shop without an account domain, for shops whose discovery document is missing.
    static func fixedEndpoints(shopID: String) -> OpenIDClient.Endpoints {
        let base = ShopifyIssuer.issuer(shopID: shopID)
        var endpoints = OpenIDClient.Endpoints()
        endpoints.authorization = try? HTTPURL(base + "/oauth/authorize")
        endpoints.token = try? HTTPURL(base + "/oauth/token")
        endpoints.jwks = try? HTTPURL(base + "/.well-known/jwks.json")
        endpoints.logout = try? HTTPURL(base + "/logout")
        return endpoints
    }

    /// The Customer Account API of a shop without an account domain.
    static func fixedAPI(shopID: String, version: String) -> HTTPURL? {
        try? HTTPURL("https://shopify.com/\(shopID)/account/customer/api/\(version)/graphql")
    }

    /// The URL of the document that names the Customer Account API, next to the OpenID configuration.
    static func apiDiscovery(beside discovery: HTTPURL) -> HTTPURL? {
        let name = "/openid-configuration"
        let path = discovery.path
        guard path.utf8.count >= name.utf8.count, path.utf8.suffix(name.utf8.count).elementsEqual(name.utf8) else {
            return try? discovery.replacing(path: "/.well-known/customer-account-api")
        }
        return try? discovery.replacing(path: path.dropLast(name.utf8.count) + "/customer-account-api")
    }

    /// The redirect URI that Shopify gives every mobile client.
    static func mobileRedirect(_ shopID: String) -> String { "shop.\(shopID).app://callback" }

    /// Whether a URI has the scheme `shop.{shop id}.…` that Shopify requires of mobile clients.
    static func isMobileRedirect(_ text: String, shopID: String?) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 1 < bytes.count,
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else { return false }
        let parts = bytes[..<colon].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].elementsEqual("shop".utf8),
            parts.dropFirst(2).allSatisfy({ part in
                !part.isEmpty && part.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
            })
        else { return false }
        let number = String(decoding: parts[1], as: UTF8.self)
        return ShopifyIssuer.isShopID(number) && (shopID.map { $0.isIdentical(to: number) } ?? true)
    }

    /// Whether a redirect URI leads to this machine over plain http, by a loopback literal or `localhost`.
    static func isLoopbackRedirect(_ text: String) -> Bool {
        guard let url = try? HTTPURL(text), !url.isSecure else { return false }
        return url.isLoopback || url.host.isIdentical(to: "localhost")
    }
}
