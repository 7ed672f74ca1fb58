public import FoundationEssentials
public import IdentityHTTP

/// A login that has begun in a web app.
public struct StartedLogin: Sendable {
    /// The URL to which the app sends the browser.
    public let url: HTTPURL
    /// The value of the binding cookie to set in the buyer's browser.
    ///
    /// Set the cookie with `HttpOnly`, `Secure` and `SameSite=Lax`. If the provider posts the callback (``ResponseMode/formPost``), use
    /// `SameSite=None` instead. When the callback arrives, pass the cookie of the browser that sent it to
    /// ``SessionManager/complete(_:browserBinding:provider:)``.
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
