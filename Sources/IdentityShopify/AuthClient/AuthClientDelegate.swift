/// Is told how a login through ``AuthClient`` ended: exactly one of the two, exactly once, on the client's executor.
public protocol AuthClientDelegate: AnyObject, Sendable {
    /// The buyer signed in.
    ///
    /// - Parameter token: The access token, as a cart takes it. Refresh token and expiry are in ``AuthClient/currentTokens``.
    func loginComplete(token: String)

    /// The login failed.
    ///
    /// - Parameter error: What happened and what to do, safe to log; no text of a provider is in it.
    func loginFailed(error: String)
}
