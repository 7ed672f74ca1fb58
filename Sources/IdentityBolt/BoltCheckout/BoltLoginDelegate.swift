/// Receives the outcome of a login, as in Bolt's SDK: ``BoltCheckout`` calls one of the functions once, on the configured executor.
///
/// ``BoltCheckout`` has a weak reference to the delegate: if the app releases the delegate, no function is called.
///
/// The class need not be `final` or `Sendable`. Configure the executor on which the app uses the class: `.main`, or a queue. With the
/// default executor, any thread may call the delegate, so the class must be safe to call from any thread.
public protocol BoltLoginDelegate: AnyObject {
    /// The buyer signed in; exchange the code at once and do not store it.
    ///
    /// - Parameters:
    ///   - authCode: The authorization code, valid for five minutes and one use.
    ///   - codeVerifier: The PKCE verifier; empty without PKCE.
    ///   - state: The login's state; pass it to the exchange together with the code.
    func onLoginSuccess(authCode: String, codeVerifier: String, state: String)

    /// The login failed, for example because of the network, or because the buyer denied access.
    func onLoginError(errorReason: String)

    /// The login was cancelled, for example because the buyer closed the login page.
    func onLoginCancel()
}
