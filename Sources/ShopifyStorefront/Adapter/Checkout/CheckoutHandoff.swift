public import FoundationEssentials
public import IdentityKit

/// The checkout URL to which an app sends the buyer, and the identity with which the checkout opens.
public struct CheckoutHandoff: Sendable {
    /// The URL for the browser; do not store or log the URL.
    public let url: CheckoutURL
    /// The identity with which the checkout opens, as far as the adapter knows.
    public let identity: CartIdentity
    /// The cart as Shopify returned it.
    public let cart: Cart
    /// Shopify's warnings.
    public let warnings: [CartWarning]
    /// The parts of the identity that this operation omitted, as in ``SessionCart/omitted``.
    public let omitted: [String]
    /// When the adapter got the URL from Shopify; authenticated URLs are valid for a short time that Shopify does not publish.
    public let issuedAt: Date
    /// Whether the URL has `sso=silent`, so that the checkout opens for the buyer who is signed in at the shop in this browser.
    public let usesBrowserSession: Bool
    /// Why the identity on the cart may be missing or outdated; nil if there was no problem.
    public let problem: IdentityError?
}
