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
