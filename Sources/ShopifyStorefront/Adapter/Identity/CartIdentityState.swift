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

/// The identity that the adapter has put on a cart, or the reason why it could not put the identity there.
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
    /// The cart as Shopify returned it.
    public let cart: Cart
    /// The identity on the cart.
    public let identity: CartIdentityState
    /// Shopify's warnings.
    ///
    /// An operation does not fail because of a warning.
    public let warnings: [CartWarning]
    /// The parts of the identity that Shopify did not accept: `email`, `phone`, `country`, `companyLocation`, `address`, or a field of the
    /// address such as `address.zip`.
    public let omitted: [String]
    /// Why the session's identity could not be put on the cart; nil if there was no problem.
    public let problem: IdentityError?
}

/// Options for opening a checkout.
public struct CheckoutOptions: Sendable {
    /// Whether checkout uses the buyer's browser session at the shop.
    public enum SingleSignOn: Sendable {
        /// Checkout does not use the browser session.
        case none
        /// Checkout uses the browser session without a prompt (`sso=silent`), if no buyer is on the cart.
        ///
        /// Checkout then opens for the buyer who is signed in at the shop in that browser. A cart with a buyer gets no
        /// `sso=silent`, because the browser's buyer may be another one; ``CheckoutHandoff/usesBrowserSession`` reports it.
        case silent
    }

    /// Whether checkout uses a browser session.
    public var singleSignOn: SingleSignOn
    /// How long the token on the cart must remain valid when the buyer leaves, 15 minutes by default.
    ///
    /// For a token of one hour, `SessionManager` refreshes early when 9 to 15 minutes remain. The default therefore avoids that the token
    /// is refreshed right after the buyer has left for the checkout.
    public var tokenMargin: Duration

    /// Creates options.
    public init(singleSignOn: SingleSignOn = .none, tokenMargin: Duration = .seconds(900)) {
        self.singleSignOn = singleSignOn
        self.tokenMargin = tokenMargin
    }
}

/// The data with which an app sends the buyer to the checkout.
public struct CheckoutHandoff: Sendable {
    /// The URL for the browser.
    ///
    /// Do not store or log the URL.
    public let url: CheckoutURL
    /// The identity with which the buyer arrives.
    public let identity: CartIdentity
    /// The cart as Shopify returned it.
    public let cart: Cart
    /// Shopify's warnings.
    public let warnings: [CartWarning]
    /// The parts of the identity that Shopify did not accept, as in ``SessionCart/omitted``.
    public let omitted: [String]
    /// When the adapter got the URL from Shopify.
    ///
    /// Authenticated URLs are valid for a short time that Shopify does not publish.
    public let issuedAt: Date
    /// Whether the URL has `sso=silent`, so that the browser's session at the shop decides who buys.
    public let usesBrowserSession: Bool
    /// Why the buyer may not be signed in at the checkout; nil if there was no problem.
    public let problem: IdentityError?
}
