/// Options for opening a checkout.
public struct CheckoutOptions: Sendable {
    /// Whether checkout uses the buyer's browser session at the shop.
    public enum SingleSignOn: Sendable {
        /// Checkout does not use the browser session.
        case none
        /// Checkout uses the browser session without a prompt (`sso=silent`), if no buyer is on the cart and the cart is trusted
        /// (``CartAdapter/adopt(_:for:isTrusted:in:)``).
        ///
        /// Checkout then opens for the buyer who is signed in at the shop in that browser. A cart with a buyer gets no `sso=silent`,
        /// because the browser's buyer may be another person. ``CheckoutHandoff/usesBrowserSession`` says whether the URL has `sso=silent`.
        case silent
    }

    /// Whether checkout uses the buyer's browser session at the shop; by default it does not.
    public var singleSignOn: SingleSignOn
    /// How long the token on the cart must remain valid when the buyer goes to the checkout, 15 minutes by default.
    ///
    /// By default, `SessionManager` refreshes a token of one hour when 9 to 15 minutes remain. With the default margin, a token that is due
    /// for this refresh is refreshed before the buyer goes to the checkout, and not shortly after.
    public var tokenMargin: Duration

    /// Creates options.
    public init(singleSignOn: SingleSignOn = .none, tokenMargin: Duration = .seconds(900)) {
        self.singleSignOn = singleSignOn
        self.tokenMargin = tokenMargin
    }
}
