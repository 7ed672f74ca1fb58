/// The result of a completed login.
public struct CompletedLogin: Sendable {
    /// The new session.
    public let session: Session
    /// The app's page to which to redirect the browser: ``LoginOptions/returnPath``, checked and normalized by ``ReturnPathPolicy``; nil if
    /// the login began without a return path.
    ///
    /// In `IdentityWeb` the app's `admit` function can replace the path with another one, which the policy does not check.
    public let returnPath: String?
    /// The session that the new one replaces, after a step-up (``SessionManager/beginStepUp(of:requiring:options:)``); otherwise nil.
    ///
    /// If the store fails to remove the replaced session, ``SessionManager`` tries the removal again for about a minute.
    public let replaced: SessionID?
}
