public import IdentityKit

extension IdentityError.Code {
    /// Shopify has no cart with this id: the cart's order was placed, the cart has expired, or the id is wrong.
    public static let cartGone = Self(rawValue: "cart_gone")
    /// The session has no cart.
    public static let cartMissing = Self(rawValue: "cart_missing")
    /// A request to add lines failed after an earlier request of the same call; the error's cause is a ``CartPartialAddition``.
    public static let linesPartlyAdded = Self(rawValue: "lines_partly_added")
    /// The session's cart changed during every attempt of the operation, or while the adapter put the identity on the cart.
    ///
    /// ``CartAdapter/moveCart(of:to:)`` also throws an error with this code when the newer session has another cart.
    public static let cartBusy = Self(rawValue: "cart_busy")
    /// The cart's id came from an untrusted source and not from Shopify, so the cart gets no identity.
    public static let cartNotIssued = Self(rawValue: "cart_not_issued")
    /// The cart has no customer although Shopify accepted the customer access token.
    ///
    /// A cart also gets this problem if Shopify returns the cart under a new id and without its buyer.
    public static let identityMissing = Self(rawValue: "identity_missing")
    /// The buyer, a delivery address or a gift card may still be on the cart after an attempt to remove this data.
    public static let detachIncomplete = Self(rawValue: "detach_incomplete")
}
