public import FoundationEssentials

/// One sign-in in a buyer's own list: ``SessionManager/signIns(ofBuyerOf:)``.
public struct BuyerSignIn: Sendable {
    /// The name of the sign-in, for a form that ends it; unlike the session's id, it signs no browser in.
    public let reference: SessionReference
    /// Whether this is the sign-in of the session for which the list was requested.
    public let isCurrent: Bool
    /// The provider's name.
    public let provider: String
    /// When the buyer signed in.
    public let createdAt: Date
    /// When the session was last used; stored at most once in ``SessionManager/Configuration/useInterval``.
    public let lastUsedAt: Date
    /// The browser that signed in; nil if the app passed no ``BuyerBrowser`` at the sign-in.
    public let browser: BuyerBrowser?
}
