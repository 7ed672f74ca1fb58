public import FoundationEssentials
public import IdentityHTTP

/// A login that has begun in a web app.
public struct StartedLogin: Sendable {
    /// The URL to which the app sends the browser.
    public let url: HTTPURL
    /// The value of a cookie to set in that browser (`HttpOnly`, `Secure`, `SameSite=Lax`, but
    /// `SameSite=None` if the provider posts the callback, ``ResponseMode/formPost``), and to pass on at the callback.
    public let browserBinding: Secret
    /// When the login expires.
    public let expiresAt: Date
    /// An id of this login for the cookie's name, because one browser can have several logins in progress.
    ///
    /// The matching callback has the same ``LoginCallback/attemptID``.
    public let attemptID: String
    /// How the provider sends the callback.
    public let responseMode: ResponseMode
}

/// A completed login.
public struct CompletedLogin: Sendable {
    /// The new session.
    public let session: Session
    /// The app's page to which to redirect the browser: ``LoginOptions/returnPath``, checked and normalized by ``ReturnPathPolicy``.
    public let returnPath: String?
    /// The session that the new one replaces, after a step-up (``SessionManager/beginStepUp(of:requiring:options:)``); otherwise nil.
    ///
    /// The replaced session has ended, and its id is unknown to the store.
    public let replaced: SessionID?
}
