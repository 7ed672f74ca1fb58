/// The result of a completed login.
public struct CompletedLogin: Sendable {
    /// The new session.
    public let session: Session
    /// The page to which the app redirects the browser; nil if the app chose no page.
    ///
    /// The value is ``LoginOptions/returnPath``, checked and normalized by ``ReturnPathPolicy``. In `IdentityWeb`, the app's `admit`
    /// function can choose another page, which the policy does not check.
    public let returnPath: String?
    /// The session that the new one replaces, after a step-up (``SessionManager/beginStepUp(of:requiring:options:)``); otherwise nil.
    ///
    /// If the store fails to remove the replaced session, ``SessionManager`` tries the removal again for about a minute.
    public let replaced: SessionID?
}
