public import IdentityKit

/// What an adapter does where there is a choice.
public struct CartPolicy: Sendable {
    /// What a logout does with the cart.
    public enum Logout: Sendable {
        /// A copy without the buyer goes on as a guest's where somebody asks for it; the old cart is detached and forgotten.
        case clone
        /// The same cart goes on as a guest's, once the answer shows that the buyer is off it.
        case detach
        /// The cart is forgotten, and Shopify asked nothing; the buyer stays on it until it expires.
        case drop
    }

    /// What happens when Shopify no longer has the cart.
    public enum Vanished: Sendable {
        /// The session has no cart; the next line begins a new one. The usual reason is a completed order.
        case startEmpty
        /// A new cart gets the lines that the old one was last seen with; they are kept with the session for that.
        case recreate
    }

    /// Which cart a buyer has after signing in with a guest's cart.
    public enum Merge: Sendable {
        /// The guest's cart becomes the buyer's; carts of the buyer's other sessions stay as they are.
        case keepGuest
        /// The guest's lines go into the buyer's newest cart, where there is one.
        case intoCustomerCart
        /// The buyer's newest cart counts, where there is one, and the guest's is given up.
        case preferCustomer
    }

    /// What a logout does with the cart; ``Logout/clone`` unless set.
    public var logout = Logout.clone
    /// What happens when a cart is gone; ``Vanished/startEmpty`` unless set.
    public var vanished = Vanished.startEmpty
    /// What a login does with a guest's cart; ``Merge/keepGuest`` unless set.
    public var merge = Merge.keepGuest
    /// How a customer's token is got that a cart takes; nil, the access token itself, unless set.
    public var exchange: CustomerTokenExchange?
    /// Who is told what happens to carts; called at once, so return quickly.
    public var onEvent: (@Sendable (CartEvent) -> Void)?

    /// The defaults.
    public init() {}
}

/// Something that happened to a session's cart without anybody asking for it; holds no cart id.
public struct CartEvent: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// Shopify no longer has the cart; its order is complete, or it has expired.
        case lost
        /// A cart that was gone was made anew with its last known lines.
        case recreated
        /// Shopify answered with another id, which is the cart's now; the identity was put on it again.
        case moved
        /// A process died between Shopify's answer and the row: a cart may exist that nobody will find. It expires.
        case interrupted
        /// The identity is not on the cart, for this reason.
        case degraded(IdentityError.Code)
        /// The lines of a guest's cart are in the buyer's.
        case merged
    }

    /// What happened.
    public let kind: Kind
    /// The session.
    public let session: SessionID

    /// Describes an event, for tests of who is told.
    public init(_ kind: Kind, session: SessionID) {
        self.kind = kind
        self.session = session
    }
}
