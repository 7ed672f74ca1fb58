public import FoundationEssentials

/// One sign-in in the list that ``SessionManager/signIns(ofBuyerOf:)`` returns for a buyer.
public struct BuyerSignIn: Sendable {
    /// The reference of the sign-in's session, for a form that ends the sign-in (``SessionManager/endSignIn(_:ofBuyerOf:)``).
    ///
    /// Never put the session's id into the form: a browser that sends the id is signed in.
    public let reference: SessionReference
    /// Whether this sign-in created the session that was passed to ``SessionManager/signIns(ofBuyerOf:)``.
    public let isCurrent: Bool
    /// The provider's name.
    public let provider: String
    /// When the buyer signed in.
    public let createdAt: Date
    /// When the session was last used, as ``SessionManager/noteUse(of:)`` stored it; ``createdAt`` if no use is stored.
    public let lastUsedAt: Date
    /// The browser that signed in; nil if the app passed no ``BuyerBrowser`` at the sign-in, or if the stored value is missing or damaged.
    public let browser: BuyerBrowser?
}
