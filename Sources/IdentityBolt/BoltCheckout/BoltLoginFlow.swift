public import IdentityHTTP
internal import IdentityKit

/// A login at Bolt whose page the app shows itself, as with `BoltLoginViewController` of Bolt's SDK.
///
/// ```swift
/// let flow = BoltLoginFlow(delegate: delegate)
/// show(try await flow.authorizationURL)
/// await flow.handle(callbackURL: url)      // the URL to which Bolt redirected
/// ```
///
/// The delegate is called once, when the login ends. The reference to the delegate is weak: a delegate that was released is not called.
public final class BoltLoginFlow: Sendable {
    private let engine: BoltLoginEngine

    /// Creates a login whose outcome `delegate` receives; the login uses the provider with which `checkout` is configured.
    public init(
        delegate: any BoltLoginDelegate,
        loginConfig: BoltLoginConfig = BoltLoginConfig(),
        checkout: BoltCheckout = .shared
    ) {
        engine = checkout.engine(loginConfig, BoltCheckout.calling(delegate))
    }

    /// The URL of the login page; repeated calls return the same URL.
    ///
    /// - Throws: `IdentityError`. The error also ends the login and calls the delegate, unless the login has already ended or received its
    ///   callback.
    public var authorizationURL: HTTPURL {
        get async throws { try await engine.authorizationRequest(redirectURI: nil).url }
    }

    /// Handles the callback and calls the delegate.
    ///
    /// - Parameter callbackURL: The URL to which Bolt redirected: an absolute URL, or a path with its query.
    /// - Returns: False if the callback was ignored: the login already had a callback, has ended, or its page was never requested.
    @discardableResult
    public func handle(callbackURL: String) async -> Bool {
        await engine.handle(callbackURL)
    }

    /// Cancels the login, for example when the buyer closes the page; has no effect after the login has ended or received its callback.
    public func cancel() {
        engine.cancel()
    }
}

/// The name of ``BoltLoginFlow`` in Bolt's documentation: `BoltLoginViewController(delegate:)` and
/// `BoltLoginViewController(delegate:loginConfig:)`.
public typealias BoltLoginViewController = BoltLoginFlow
