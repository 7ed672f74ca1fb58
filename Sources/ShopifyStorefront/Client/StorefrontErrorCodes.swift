public import IdentityKit

extension IdentityError.Code {
    /// Shopify refused the request as a whole: token, scope, shop or version.
    public static let storefrontRefused = Self(rawValue: "storefront_refused")
    /// The cart is gone: its order is complete, it has expired, or its id is wrong.
    public static let cartGone = Self(rawValue: "cart_gone")
    /// The session has no cart yet.
    public static let cartMissing = Self(rawValue: "cart_missing")
    /// Shopify refused a change of the cart; the cause is ``CartUserErrors``.
    public static let cartUserErrors = Self(rawValue: "cart_user_errors")
    /// Shopify added some of the lines, then the addition failed; the cause is ``CartPartialAddition``.
    public static let linesPartlyAdded = Self(rawValue: "lines_partly_added")
    /// Another process changed the session's cart at the same moment.
    public static let cartBusy = Self(rawValue: "cart_busy")
    /// The cart's id came from the buyer's side and not from Shopify to this server: it gets no identity.
    public static let cartNotIssued = Self(rawValue: "cart_not_issued")
    /// Shopify refused the buyer's customer access token for the cart.
    public static let identityRejected = Self(rawValue: "identity_rejected")
    /// Shopify accepted the customer access token, and the cart has no customer all the same.
    public static let identityMissing = Self(rawValue: "identity_missing")
    /// The cart still has the buyer or a delivery address after detaching, or the buyer could not be taken off it.
    public static let detachIncomplete = Self(rawValue: "detach_incomplete")
}
