public import FoundationEssentials
public import IdentityHTTP

/// A login that has begun in a web app.
public struct StartedLogin: Sendable {
    /// The URL to which the app sends the browser.
    public let url: HTTPURL
    /// The value of the binding cookie: set it in this browser, and pass it to ``SessionManager/complete(_:browserBinding:provider:)``.
    ///
    /// Set it with `HttpOnly`, `Secure` and `SameSite=Lax`. If the provider posts the callback (``ResponseMode/formPost``), use
    /// `SameSite=None` instead.
    public let browserBinding: Secret
    /// When the login expires.
    public let expiresAt: Date
    package let lifetime: Duration
    /// An id of this login for the name of the binding cookie, because one browser can have several logins in progress.
    ///
    /// The matching callback has the same ``LoginCallback/attemptID``.
    public let attemptID: String
    /// How the provider sends the callback.
    public let responseMode: ResponseMode
}

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
