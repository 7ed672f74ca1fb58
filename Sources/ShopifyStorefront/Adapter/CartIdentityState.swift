public import FoundationEssentials
public import IdentityKit

/// Whose cart it is, as far as the adapter brought it about; the truth to show.
public enum CartIdentityState: Sendable, Equatable {
    /// Nobody's: checkout asks who the buyer is.
    case guest
    /// Contact fields and perhaps an address are prefilled; checkout is a guest's.
    case contact
    /// A signed-in customer's, until the token on the cart expires; nil where the provider did not say when.
    case attached(until: Date?)
    /// The session's identity could not be put on the cart; with the reason. The next checkout tries again.
    case degraded(IdentityError.Code)
}

/// A session's cart after an operation.
public struct SessionCart: Sendable {
    /// The cart.
    public let cart: Cart
    /// Whose cart it is.
    public let identity: CartIdentityState
    /// What Shopify warned of; warnings fail nothing.
    public let warnings: [CartWarning]
    /// Which parts of a contact Shopify did not accept: `email`, `phone`, `country`, `address`.
    public let omitted: [String]
    /// Why the identity is degraded.
    public let problem: IdentityError?
}

/// With whom the buyer arrives at checkout.
public struct CheckoutIdentity: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identity as text.
    public let rawValue: String

    /// An identity with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The identity as text.
    public var description: String { rawValue }

    /// Signed in.
    public static let customer = Self(rawValue: "customer")
    /// A guest with prefilled fields.
    public static let contact = Self(rawValue: "contact")
    /// A guest.
    public static let guest = Self(rawValue: "guest")
}

/// How a checkout is to open.
public struct CheckoutOptions: Sendable {
    /// Whether checkout looks for the buyer's own browser session at the shop.
    public enum SingleSignOn: Sendable {
        /// It does not.
        case none
        /// It does, without asking anything (`sso=silent`): useful when the buyer signed in with Shopify in this browser.
        case silent
    }

    /// Whether checkout looks for a browser session; it does not unless given.
    public var singleSignOn: SingleSignOn
    /// How long the token on the cart shall still be valid when the buyer leaves, 15 minutes unless given.
    ///
    /// More than the last fifth of an hour, in which `SessionManager` renews tokens by itself: the token that is handed over
    /// shall not be replaced a moment later.
    public var tokenMargin: Duration

    /// Creates options.
    public init(singleSignOn: SingleSignOn = .none, tokenMargin: Duration = .seconds(900)) {
        self.singleSignOn = singleSignOn
        self.tokenMargin = tokenMargin
    }
}

/// Everything for sending the buyer to checkout, once and now.
public struct CheckoutHandoff: Sendable {
    /// Where to send the browser; neither to be stored nor to be logged.
    public let url: CheckoutURL
    /// With whom the buyer arrives there.
    public let identity: CheckoutIdentity
    /// The cart.
    public let cart: Cart
    /// What Shopify warned of.
    public let warnings: [CartWarning]
    /// When the URL was made; authenticated URLs live for a short time that Shopify does not publish.
    public let issuedAt: Date
    /// Why the buyer arrives with less than the session promises; nil when all is well.
    public let problem: IdentityError?
}
