public import FoundationEssentials
public import IdentityKit

/// Who the buyer of a cart is.
public enum CartIdentity: String, Sendable {
    /// A guest.
    case guest
    /// A guest with prefilled fields.
    case contact
    /// A signed-in customer.
    case customer
}

/// The identity that the adapter has put on a cart: a ``CartIdentity`` with its end, or the reason why it is not there.
public enum CartIdentityState: Sendable, Equatable {
    /// No identity: the buyer enters contact data at checkout.
    case guest
    /// Contact fields and possibly an address are prefilled. The checkout is a guest checkout.
    case contact
    /// A signed-in customer, until the token on the cart expires; nil when the time is unknown.
    case customer(until: Date?)
    /// The session's identity could not be put on the cart, for this reason. The next checkout tries again.
    case degraded(IdentityError.Code)
}

/// A session's cart after an operation.
public struct SessionCart: Sendable {
    /// The cart.
    public let cart: Cart
    /// The identity on the cart.
    public let identity: CartIdentityState
    /// Shopify's warnings.
    ///
    /// They do not fail an operation.
    public let warnings: [CartWarning]
    /// The parts of a contact that Shopify did not accept: `email`, `phone`, `country`, `address`.
    public let omitted: [String]
    /// Why the identity is degraded.
    public let problem: IdentityError?
}

/// Options for opening a checkout.
public struct CheckoutOptions: Sendable {
    /// Whether checkout uses the buyer's browser session at the shop.
    public enum SingleSignOn: Sendable {
        /// It does not.
        case none
        /// It does, without a prompt (`sso=silent`), if no buyer is on the cart.
        ///
        /// Checkout then opens for the buyer who is signed in at the shop in that browser. A cart with a buyer gets no
        /// `sso=silent`, because the browser's buyer may be another one; ``CheckoutHandoff/usesBrowserSession`` reports it.
        case silent
    }

    /// Whether checkout uses a browser session.
    public var singleSignOn: SingleSignOn
    /// How long the token on the cart must remain valid when the buyer leaves, 15 minutes by default.
    ///
    /// For a token of one hour, `SessionManager` refreshes early when 9 to 15 minutes remain. So the token on the cart is not replaced a
    /// moment later.
    public var tokenMargin: Duration

    /// Creates options.
    public init(singleSignOn: SingleSignOn = .none, tokenMargin: Duration = .seconds(900)) {
        self.singleSignOn = singleSignOn
        self.tokenMargin = tokenMargin
    }
}

/// What an app needs to send the buyer to checkout.
public struct CheckoutHandoff: Sendable {
    /// The URL for the browser.
    ///
    /// Neither store nor log it.
    public let url: CheckoutURL
    /// The identity with which the buyer arrives.
    public let identity: CartIdentity
    /// The cart.
    public let cart: Cart
    /// Shopify's warnings.
    public let warnings: [CartWarning]
    /// The time of the URL.
    ///
    /// Authenticated URLs are valid for a short time that Shopify does not publish.
    public let issuedAt: Date
    /// Whether the URL has `sso=silent`, so that the browser's session at the shop decides who buys.
    public let usesBrowserSession: Bool
    /// Why the buyer is not signed in at the checkout; nil if nothing prevents that.
    public let problem: IdentityError?
}
