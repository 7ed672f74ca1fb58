/// Receives the outcome of a login, as in Bolt's SDK: one call of one function, on the configured executor.
///
/// The reference to the delegate is weak. Conforming classes must be safe to use from any thread.
public protocol BoltLoginDelegate: AnyObject, Sendable {
    /// The buyer signed in; exchange the code at once and do not store it.
    ///
    /// - Parameters:
    ///   - authCode: The authorization code, valid for five minutes and one use.
    ///   - codeVerifier: The PKCE verifier; empty without PKCE.
    ///   - state: The login's state, which is sent together with the code.
    func onLoginSuccess(authCode: String, codeVerifier: String, state: String)

    /// The login failed, for example because of the network, or because the buyer denied access.
    func onLoginError(errorReason: String)

    /// The buyer closed the login page.
    func onLoginCancel()
}
