public import FoundationEssentials
public import IdentityHTTP

/// The result of a logout: the ended session, and the logout page of the provider, if the provider has one.
public struct LogoutResult: Sendable {
    /// The session that ended.
    public let session: Session
    /// The provider's logout page, to which the app sends the buyer's browser.
    ///
    /// Nil for a guest, and when the provider has no logout page. If the session's tokens could not be read or the URL could not be
    /// created, the value is also nil, and ``problems`` contains the error.
    public let browserURL: HTTPURL?
    /// The data with which the app checks the browser's return from the logout page; nil when ``browserURL`` contains no `state`.
    public let awaitedReturn: AwaitedReturn?
    /// The errors of work that failed after the session was removed, such as the revocation of tokens.
    public let problems: [IdentityError]

    /// The data with which the browser's return from the provider's logout page is checked.
    public struct AwaitedReturn: Sendable {
        /// The value of a cookie to set in the browser, with `HttpOnly`, `Secure` and `SameSite=Lax`.
        ///
        /// When the browser returns, pass its cookie to ``SessionManager/completeLogout(_:browserBinding:provider:)``.
        public let browserBinding: Secret
        /// When the `state` expires.
        public let expiresAt: Date
        package let lifetime: Duration
    }
}

/// The result of the check when a browser returns from a provider's logout page.
public struct CompletedLogout: Sendable {
    /// Whether the return carried the `state` of this browser's logout.
    ///
    /// False when it carried no `state`: the session has ended in this app, but the browser may not have reached the provider's
    /// logout page. Send the buyer to a page that needs no session.
    public let isConfirmed: Bool
    /// The provider; nil when the return is not confirmed.
    public let provider: String?
    /// The checked value of ``LogoutOptions/returnPath``; nil when it was not set, or when the return is not confirmed.
    public let returnPath: String?
}
