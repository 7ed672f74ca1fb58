public import IdentityKit

/// The app's authentication at the Storefront API.
public enum StorefrontAuthentication: Sendable {
    /// A private token, for servers only. Pass the buyer's IP with each call (``StorefrontContext/buyerIP``).
    case privateToken(Secret)
    /// A public token, which buyers may see. Shopify limits its requests by the IP address that sends them, so it does not suit a server.
    case publicToken(String)
    /// No token. It gives access to products and carts, for example, with at most 1,000 points of complexity per query.
    case tokenless

    /// The name of the kind of authentication, for error messages.
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
