public import IdentityHTTP
internal import IdentityKit

/// A login that the host shows by itself: the counterpart of Bolt's `BoltLoginViewController`.
///
/// Show ``authorizationURL`` in whatever the host has, and hand the URL to which Bolt redirects to ``handle(callbackURL:)``.
/// The delegate is told exactly one thing, once.
public final class BoltLoginFlow: Sendable {
    private let engine: BoltLoginEngine

    /// Creates a flow.
    ///
    /// - Parameters:
    ///   - delegate: Is told how the login ended; held weakly.
    ///   - loginConfig: How the login is to be done.
    ///   - checkout: Where the provider comes from.
    public init(
        delegate: any BoltLoginDelegate,
        loginConfig: BoltLoginConfig = BoltLoginConfig(),
        checkout: BoltCheckout = .shared
    ) {
        engine = checkout.engine(loginConfig, BoltCheckout.telling(delegate))
    }

    /// The login page, the same one however often it is asked for.
    ///
    /// - Throws: `IdentityError`; what stops a login before it begins is also told to the delegate.
    public var authorizationURL: HTTPURL {
        get async throws { try await engine.authorizationRequest(redirectURI: nil).url }
    }

    /// Takes the callback and tells the delegate how the login ended.
    ///
    /// - Parameter callbackURL: The URL to which Bolt redirected, a whole one or a path with its query.
    /// - Returns: False when the callback was refused unread: the login has had one, was cancelled, or was never shown.
    @discardableResult
    public func handle(callbackURL: String) async -> Bool {
        await engine.handle(callbackURL)
    }

    /// The buyer closed the page; after the login has ended this does nothing.
    public func cancel() {
        engine.cancel()
    }
}
