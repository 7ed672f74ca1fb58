internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import ShopifyGraphQL

enum ShopifyURLs {
    /// The URL of the shop's OpenID configuration: the configured URL, else the URL at the shop's domain, else the URL below the
    /// shop's issuer at shopify.com.
    ///
    /// Nil if the configuration contains the authorization, token and key set endpoints but no discovery URL, because such a
    /// configuration needs no discovery.
    static func discovery(_ configuration: ShopifyProvider.Configuration) -> HTTPURL? {
        if let url = configuration.endpoints.discovery { return url }
        if configuration.endpoints.isComplete { return nil }
        let path = "/.well-known/openid-configuration"
        if let domain = configuration.domain { return try? domain.url.replacing(path: path) }
        return configuration.shopID.flatMap { try? HTTPURL(ShopifyIssuer.issuer(shopID: $0) + path) }
    }

    /// The endpoints that Shopify serves for a shop without an account domain, used if the discovery URL returns 404.
    static func fixedEndpoints(shopID: String) -> OpenIDClient.Endpoints {
        let base = ShopifyIssuer.issuer(shopID: shopID)
        var endpoints = OpenIDClient.Endpoints()
        endpoints.authorization = try? HTTPURL(base + "/oauth/authorize")
        endpoints.token = try? HTTPURL(base + "/oauth/token")
        endpoints.jwks = try? HTTPURL(base + "/.well-known/jwks.json")
        endpoints.logout = try? HTTPURL(base + "/logout")
        return endpoints
    }

    /// The URL of the Customer Account API of a shop without an account domain.
    static func fixedAPI(shopID: String, version: String) -> HTTPURL? {
        try? HTTPURL("https://shopify.com/\(shopID)/account/customer/api/\(version)/graphql")
    }

    /// The URL of the `customer-account-api` document, which contains the URL of the Customer Account API.
    ///
    /// If the path of `discovery` ends in `/openid-configuration`, the name of the document replaces this last segment. Otherwise the path
    /// is `/.well-known/customer-account-api`.
    static func apiDiscovery(beside discovery: HTTPURL) -> HTTPURL? {
        let name = "/openid-configuration"
        let path = discovery.path
        guard path.utf8.count >= name.utf8.count, path.utf8.suffix(name.utf8.count).elementsEqual(name.utf8) else {
            return try? discovery.replacing(path: "/.well-known/customer-account-api")
        }
        return try? discovery.replacing(path: path.dropLast(name.utf8.count) + "/customer-account-api")
    }

    /// The redirect URI that Shopify registers for a mobile client by default.
    static func mobileRedirect(_ shopID: String) -> String { "shop.\(shopID).app://callback" }

    /// Whether a URI has the scheme `shop.{shop id}.…` that Shopify requires of mobile clients; a nil `shopID` accepts any shop id.
    static func isMobileRedirect(_ text: String, shopID: String?) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 1 < bytes.count,
            bytes.allSatisfy({ ASCII.isVisible($0) && $0 != UInt8(ascii: "#") })
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

    static func isLoopbackRedirect(_ text: String) -> Bool {
        guard let url = try? HTTPURL(text), !url.isSecure else { return false }
        return url.isLoopback || url.host.isIdentical(to: "localhost")
    }
}
