/// Receives the outcome of a login through ``AuthClient``: one call of one function, on the client's executor.
public protocol AuthClientDelegate: AnyObject, Sendable {
    /// The buyer signed in.
    ///
    /// - Parameter token: The access token, as a cart needs it. Refresh token and expiry are in ``AuthClient/currentTokens``.
    func loginComplete(token: String)

    /// The login failed.
    ///
    /// - Parameter error: What failed and what to do, safe to log: it contains no text of the provider.
    func loginFailed(error: String)
}
