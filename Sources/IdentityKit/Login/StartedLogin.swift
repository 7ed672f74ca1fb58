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
    /// The time from the beginning of the login to ``expiresAt``.
    package let lifetime: Duration
    /// An id of this login for the cookie's name, because one browser can have several logins in progress.
    ///
    /// The matching callback has the same ``LoginCallback/attemptID``.
    public let attemptID: String
    /// How the provider sends the callback.
    public let responseMode: ResponseMode
}
