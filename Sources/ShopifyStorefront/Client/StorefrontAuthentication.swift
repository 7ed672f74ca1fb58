public import IdentityKit

/// How the app proves itself to the Storefront API.
public enum StorefrontAuthentication: Sendable {
    /// A private token, for servers only; pass the buyer's IP with each call (``StorefrontContext/buyerIP``).
    case privateToken(Secret)
    /// A public token, which buyers may see; its limits go by the caller's IP address, so it suits a server badly.
    case publicToken(String)
    /// No token: products, collections, search, carts, at most 1,000 points of complexity a query.
    case tokenless

    /// The mode in words, for errors.
    var name: String {
        switch self {
        case .privateToken: "the private token"
        case .publicToken: "the public token"
        case .tokenless: "tokenless access"
        }
    }

    var readsCustomers: Bool {
        if case .tokenless = self { false } else { true }
    }
}
