/// Receives the outcome of a login with ``AuthClient``; name and functions are those of Shopify's Customer Account guide.
///
/// ``AuthClient/delegate`` lists the methods that call the delegate. For each login that ends in such a method, the client calls one of
/// the two functions once, on its `callbackExecutor`. The client's reference to the delegate is weak.
///
/// The class need not be `final` or `Sendable`. Set `callbackExecutor` to the executor on which the app uses the class: `.main`, as in the
/// guide, or a queue. By default, the task of the login calls the functions, so the class must be safe to call from any thread.
public protocol AuthWebViewDelegate: AnyObject {
    /// The buyer signed in.
    ///
    /// - Parameter token: The access token, which a cart accepts unchanged. The refresh token and the expiry are in
    ///   ``AuthClient/currentTokens``.
    func loginComplete(token: String)

    /// The login failed.
    ///
    /// - Parameter error: What failed and what to do next. This text is safe to log: it has no token and no explanation from
    ///   Shopify. From a response, the text can contain only short names, such as an algorithm, an audience or an issuer.
    func loginFailed(error: String)
}

/// `@unchecked Sendable` is safe, because ``AuthClient`` only copies the weak reference, and such a copy is atomic.
///
/// The client calls the delegate's functions on the executor that the app has chosen.
struct WeakDelegate: @unchecked Sendable {
    weak var delegate: (any AuthWebViewDelegate)?
}
