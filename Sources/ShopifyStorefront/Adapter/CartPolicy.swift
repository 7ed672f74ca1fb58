/// The rules by which a ``CartAdapter`` acts at logout, after a login, and when Shopify no longer has a cart.
///
/// ```swift
/// var policy = CartPolicy()
/// policy.logout = .drop
/// policy.merge = .intoCustomerCart
/// let carts = CartAdapter(client: storefront, sessions: sessions, store: store, policy: policy)
/// ```
public struct CartPolicy: Sendable {
    /// What a logout does with the session's cart.
    public enum Logout: Sendable {
        /// `CartAdapter.logout` gives a new guest session a copy of the cart, without the buyer's identity, addresses and gift cards. The
        /// buyer is removed from the old cart, and the app no longer uses that cart. The copy has the discount codes, the note and the
        /// attributes of the old cart. Use ``drop`` if your shop writes personal data into the note or the attributes.
        case clone
        /// `CartAdapter.logout` removes the buyer, all addresses and the gift cards from the cart, and gives this cart to a new guest
        /// session.
        ///
        /// The guest gets a copy, as with ``clone``, in these cases:
        /// - Shopify's response does not show that the buyer was removed, for example because the app's token may not read customers.
        /// - Another session has the same cart.
        /// - An earlier request with the buyer's data or a gift card may still reach Shopify.
        /// - The cart could not be saved with the guest's session.
        ///
        /// The discount codes, the note and the attributes stay on the cart, and a copy has them too.
        case detach
        /// The session loses the cart, and the adapter sends no request to Shopify. So the buyer stays on the cart at Shopify.
        case drop
    }

    /// What the adapter does when Shopify no longer has a session's cart.
    public enum Gone: Sendable {
        /// The session loses the cart, and `CartAdapter.add` creates a new one. This suits the usual case, in which the buyer has placed
        /// the order.
        case startEmpty
        /// The adapter creates a new cart with the last known lines of the old cart, at most those of its first page. For this purpose the
        /// adapter stores the lines with the session.
        case recreate
    }

    /// The cart that a buyer gets after a login, if the browser had a guest's cart.
    public enum Merge: Sendable {
        /// The guest's cart becomes the cart of the buyer's session. Carts of the buyer's other sessions are not changed.
        ///
        /// The web routes call `CartAdapter.mergeCart`. If the session already has a cart, this method adds the guest's lines to that cart.
        case keepGuest
        /// The guest's lines are added to the session's own cart. A session without a cart first gets the cart of the buyer's newest other
        /// session that has one. If the buyer has no cart, the guest's cart becomes the buyer's.
        case intoCustomerCart
        /// The session keeps its own cart, and the guest's cart is not used any more. A session without a cart gets the cart of the buyer's
        /// newest other session that has one. If the buyer has no cart, the guest's cart becomes the buyer's.
        case preferCustomer
    }

    /// What a logout does with the cart; by default a new guest gets a copy.
    public var logout = Logout.clone
    /// What the adapter does when Shopify no longer has a cart; by default the session then has no cart.
    public var gone = Gone.startEmpty
    /// Which cart the buyer gets after a login; by default the guest's cart.
    public var merge = Merge.keepGuest
    /// Exchanges the customer access token for a Storefront token, which is put on the cart instead.
    ///
    /// Without an exchange, as by default, the access token itself is put on the cart. The token of a legacy customer is never exchanged.
    public var exchange: CustomerTokenExchange?
    /// Receives the events of the adapter's carts, synchronously, so the closure must return quickly.
    public var onEvent: (@Sendable (CartEvent) -> Void)?

    /// Creates the default policy.
    public init() {}
}
