public import IdentityHTTP

/// The beginning of a login: the URL for the buyer's browser, and the login attempt to store until the callback.
public struct AuthorizationRequest: Sendable {
    /// The URL of the login page, to which the app sends the browser.
    public var url: HTTPURL
    /// The login attempt to store until the callback; the callback is checked against this attempt.
    public var attempt: LoginAttempt

    /// Creates a request.
    public init(url: HTTPURL, attempt: LoginAttempt) {
        self.url = url
        self.attempt = attempt
    }
}
