/// The result of a completed login.
public struct CompletedLogin: Sendable {
    /// The new session.
    public let session: Session
    /// The app's page to which to redirect the browser: ``LoginOptions/returnPath``, checked and normalized by ``ReturnPathPolicy``.
    ///
    /// The routes of `IdentityWeb` can replace it by another first page.
    public let returnPath: String?
    /// The session that the new one replaces, after a step-up (``SessionManager/beginStepUp(of:requiring:options:)``); otherwise nil.
    ///
    /// The replaced session has ended. If the store fails to remove it, ``SessionManager`` tries again for about a minute.
    public let replaced: SessionID?
}
