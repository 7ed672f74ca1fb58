/// Is told how a login ended, as in Bolt's SDK: exactly one of the three, exactly once, on the executor that was named.
///
/// The delegate is held weakly. Swift 6 asks of a class that conforms to be `final` and safe to use from any thread.
public protocol BoltLoginDelegate: AnyObject, Sendable {
    /// The buyer signed in; exchange the code at once and keep it nowhere.
    ///
    /// - Parameters:
    ///   - authCode: The authorization code: five minutes, one use.
    ///   - codeVerifier: The PKCE verifier; empty without PKCE.
    ///   - state: The login's state, to be sent along with the code.
    func onLoginSuccess(authCode: String, codeVerifier: String, state: String)

    /// The login failed, for example because the network did or the buyer denied access.
    func onLoginError(errorReason: String)

    /// The buyer closed the login page.
    func onLoginCancel()
}
