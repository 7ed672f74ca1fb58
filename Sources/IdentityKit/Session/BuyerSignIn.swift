public import FoundationEssentials

/// One sign-in in a buyer's own list: ``SessionManager/signIns(ofBuyerOf:)``.
public struct BuyerSignIn: Sendable {
    /// The reference of the session, for a form that ends the sign-in.
    ///
    /// The session's id would sign a browser in; the reference does not.
    public let reference: SessionReference
    /// Whether this is the sign-in of the session for which the list was requested.
    public let isCurrent: Bool
    /// The provider's name.
    public let provider: String
    /// When the buyer signed in.
    public let createdAt: Date
    /// When the session was last used.
    ///
    /// The time is stored at most once in each ``SessionManager/Configuration/useInterval``. It is ``createdAt`` if no later use is stored.
    public let lastUsedAt: Date
    /// The browser that signed in; nil if the app passed no ``BuyerBrowser`` at the sign-in, or if the stored record about the browser is
    /// missing or damaged.
    public let browser: BuyerBrowser?
}
