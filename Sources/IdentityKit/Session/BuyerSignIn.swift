public import FoundationEssentials

/// One sign-in in a buyer's own list: ``SessionManager/signIns(ofBuyerOf:)``.
public struct BuyerSignIn: Sendable {
    /// Names the sign-in, for a form that ends it; no browser can sign in with it.
    public let reference: SessionReference
    /// Whether it is the sign-in that asks.
    public let isCurrent: Bool
    /// The provider's name.
    public let provider: String
    /// When the buyer signed in.
    public let createdAt: Date
    /// When the session was used last, not more exactly than ``SessionManager/Configuration/useInterval``.
    public let lastUsedAt: Date
    /// The browser that signed in; nil unless the app passed a ``BuyerBrowser`` on when it did.
    public let browser: BuyerBrowser?
}
