public import IdentityKit

/// The rules by which a ``CartAdapter`` acts at logout, after a login, and when Shopify no longer has a cart.
///
/// ```swift
/// var policy = CartPolicy()
/// policy.logout = .drop
/// policy.merge = .intoCustomerCart
/// let carts = CartAdapter(client: storefront, sessions: sessions, store: store, policy: policy)
/// ```
public struct CartPolicy: Sendable {
    /// The action with the cart at a logout.
    public enum Logout: Sendable {
        /// `CartAdapter.logout` gives a new guest session a copy of the cart, without the buyer's identity, addresses and gift cards. The
        /// buyer is removed from the old cart, and the app no longer uses that cart. The guest also gets note and attributes: use
        /// ``drop`` if your shop writes personal data into them.
        case clone
        /// `CartAdapter.logout` gives a new guest session the same cart, after the buyer, all addresses and the gift cards were removed
        /// from it, or a copy if the buyer could get back to that cart, or if the app's token may not read customers and so cannot
        /// show that the buyer was removed. Note and attributes stay on it, as with ``clone``.
        case detach
        /// The session loses the cart, and Shopify is not called. The buyer stays on the cart until the cart expires at Shopify.
        case drop
    }

    /// The action when Shopify no longer has a cart.
    public enum Gone: Sendable {
        /// The session has no cart, and the next line that is added creates a new one. Shopify usually removes a cart because its order was
        /// placed.
        case startEmpty
        /// A new cart gets the last known lines of the old one; if the old one had several pages of lines, those of the first page. For
        /// this purpose the lines are stored with the session.
        case recreate
    }

    /// The cart that a buyer has after a login with a guest's cart.
    public enum Merge: Sendable {
        /// The guest's cart becomes the buyer's. Carts of the buyer's other sessions are not changed.
        case keepGuest
        /// The guest's lines are added to the buyer's newest cart, if there is one.
        case intoCustomerCart
        /// The buyer keeps the newest own cart, if there is one, and the guest's cart is dropped.
        case preferCustomer
    }

    /// The action with the cart at a logout; by default a new guest gets a copy.
    public var logout = Logout.clone
    /// The action when Shopify no longer has a cart; by default the session has no cart.
    public var gone = Gone.startEmpty
    /// The action with a guest's cart after a login; by default the buyer gets it.
    public var merge = Merge.keepGuest
    /// Exchanges the customer access token for a Storefront token before it is put on a cart.
    ///
    /// With nil, the default, the access token itself is put on the cart.
    public var exchange: CustomerTokenExchange?
    /// Receives the events of the adapter's carts.
    ///
    /// It is called synchronously, so return quickly.
    public var onEvent: (@Sendable (CartEvent) -> Void)?

    /// Creates the default policy.
    public init() {}
}

/// An event of a session's cart, for logs and metrics.
///
/// It contains no cart id.
public struct CartEvent: Sendable, Equatable {
    /// The kind of an event.
    public enum Kind: Sendable, Equatable {
        /// Shopify no longer has the cart: its order is complete, or it has expired.
        case gone
        /// A cart that Shopify no longer had was created again with its last known lines.
        case recreated
        /// Shopify returned a new id for the cart.
        case moved
        /// A process ended while it created a cart, before it saved Shopify's response. At Shopify a cart may exist that no session knows.
        /// It expires there.
        case interrupted
        /// The session's identity could not be put on the cart, for this reason.
        case degraded(IdentityError.Code)
        /// The lines of a guest's cart are in the buyer's.
        case merged
        /// Some lines of a guest's cart could not be added to the buyer's, because Shopify refused them. They stay in the guest's cart.
        case partlyMerged
    }

    /// The kind of the event.
    public let kind: Kind
    /// The name of the session (`SessionID.reference`).
    public let session: SessionReference

    /// Creates an event, for an app's own tests.
    public init(_ kind: Kind, session: SessionReference) {
        self.kind = kind
        self.session = session
    }
}
