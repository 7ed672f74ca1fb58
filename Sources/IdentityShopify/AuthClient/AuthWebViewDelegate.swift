/// Receives the outcome of a login through ``AuthClient``, with the name and the calls of Shopify's Customer Account guide.
///
/// ``AuthClient/delegate`` lists the methods that report to the delegate. For each login that such a method completes, the client calls one
/// of the two functions once, on its `callbackExecutor`. The client's reference to the delegate is weak.
///
/// The class need not be `final` or `Sendable`. The client calls it on `callbackExecutor` only, so choose the executor on which the app
/// uses the class: `.main`, as in the guide, or a queue. With the default executor, which is the task that finished the login, the
/// class must be safe to call from any thread.
public protocol AuthWebViewDelegate: AnyObject {
    /// The buyer signed in.
    ///
    /// - Parameter token: The access token, which a cart accepts unchanged. The refresh token and the expiry are in
    ///   ``AuthClient/currentTokens``.
    func loginComplete(token: String)

    /// The login failed.
    ///
    /// - Parameter error: What failed and what to do next. It is safe to log, because it contains no text from Shopify.
    func loginFailed(error: String)
}

/// A weak reference to a delegate.
///
/// `@unchecked Sendable` is safe: ``AuthClient`` only copies the reference, which is atomic, and calls the delegate's functions only on
/// the executor that the app chose for them.
struct WeakDelegate: @unchecked Sendable {
    weak var delegate: (any AuthWebViewDelegate)?
}
