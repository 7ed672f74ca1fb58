public import IdentityKit

/// The choices of a cart adapter.
public struct CartPolicy: Sendable {
    /// What a logout does with the cart.
    public enum Logout: Sendable {
        /// `CartAdapter.logout` gives a guest a copy without the buyer. The old cart is detached and forgotten.
        case clone
        /// `CartAdapter.logout` gives a guest the same cart, after the buyer and the gift cards were removed from it.
        case detach
        /// The cart is forgotten without a call to Shopify. The buyer stays on it until it expires.
        case drop
    }

    /// What happens when Shopify no longer has the cart.
    public enum Gone: Sendable {
        /// The session has no cart, and the next line creates a new one. The usual reason is a completed order.
        case startEmpty
        /// A new cart gets the last known lines of the old one. They are stored with the session for that.
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

    /// What a logout does with the cart.
    public var logout = Logout.clone
    /// What happens when a cart is gone.
    public var gone = Gone.startEmpty
    /// What a login does with a guest's cart.
    public var merge = Merge.keepGuest
    /// Exchanges the customer's token for one that a cart accepts.
    ///
    /// Nil uses the access token itself.
    public var exchange: CustomerTokenExchange?
    /// Receives the events of carts.
    ///
    /// It is called synchronously, so return quickly.
    public var onEvent: (@Sendable (CartEvent) -> Void)?

    /// Creates the default policy.
    public init() {}
}

/// A change of a session's cart that no call requested.
///
/// It contains no cart id.
public struct CartEvent: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// Shopify no longer has the cart: its order is complete, or it has expired.
        case gone
        /// A cart that was gone was created again with its last known lines.
        case recreated
        /// Shopify returned a new id for the cart. The identity was put on it again.
        case moved
        /// A process ended before it saved Shopify's response. An unknown cart may exist, which expires.
        case interrupted
        /// The identity is not on the cart, for this reason.
        case degraded(IdentityError.Code)
        /// The lines of a guest's cart are in the buyer's.
        case merged
    }

    /// What happened.
    public let kind: Kind
    /// The name of the session (`SessionID.reference`).
    public let session: SessionReference

    /// Creates an event, for an app's own tests.
    public init(_ kind: Kind, session: SessionReference) {
        self.kind = kind
        self.session = session
    }
}
