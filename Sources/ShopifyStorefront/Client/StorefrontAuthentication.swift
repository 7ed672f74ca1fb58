public import IdentityKit

/// The app's authentication at the Storefront API.
public enum StorefrontAuthentication: Sendable {
    /// A private token, for servers only. Pass the buyer's IP with each call (``StorefrontContext/buyerIP``).
    case privateToken(Secret)
    /// A public token, which buyers may see. Shopify limits the requests with this token by the sender's IP address, so a public token does
    /// not suit a server.
    case publicToken(String)
    /// No token. The app can then use for example products and carts, and a query may have at most 1,000 points of complexity.
    case tokenless

    var name: String {
        switch self {
        case .privateToken: "the private token"
        case .publicToken: "the public token"
        case .tokenless: "tokenless access"
        }
    }

    var hasToken: Bool {
        if case .tokenless = self { false } else { true }
    }
}
