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
    /// Part of the cookie's name, because a browser can have begun several logins.
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
    /// The app's page for the browser, from ``LoginOptions/returnPath``, in the form of ``ReturnPathPolicy``.
    public let returnPath: String?
    /// The session that this one replaces; nil after a login that was no step-up.
    ///
    /// After ``SessionManager/beginStepUp(of:requiring:options:)`` it has ended, and its id is unknown.
    public let replaced: SessionID?
}
