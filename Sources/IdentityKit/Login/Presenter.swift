public import IdentityHTTP
internal import Synchronization

/// Shows the login page to the buyer and receives the callback, for example with a browser and a loopback listener.
///
/// ```swift
/// struct WebViewPresenter: Presenter {
///     func present(_ login: PresentedLogin) async throws -> String {
///         let page = try await login.authorizationURL(redirectURI: login.redirectURI)
///         return try await webView.load(page.text, untilRedirectedTo: login.redirectURI)
///     }
/// }
/// ```
public protocol Presenter: Sendable {
    /// Shows the login page and returns, unchanged, the URL to which the provider redirected the browser.
    ///
    /// Call ``PresentedLogin/authorizationURL(redirectURI:)`` once, with the redirect URI at which the presenter listens.
    ///
    /// - Throws: `CancellationError` when the buyer closed the page or the task was cancelled, ``IdentityError`` otherwise.
    func present(_ login: PresentedLogin) async throws -> String
}

/// A presenter that also receives a form that the browser posts, for ``ResponseMode/formPost``.
public protocol FormPostPresenting: Presenter {
    /// Shows the login page and returns the callback: a posted form, or a URL with the parameters.
    ///
    /// If the login requested ``ResponseMode/formPost``, the completion of the login refuses a code that arrived in a URL.
    ///
    /// - Throws: The same errors as ``Presenter/present(_:)``.
    func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback
}

/// A callback that a presenter received.
public struct PresentedCallback: Sendable {
    /// The URL that the browser requested, unchanged; empty if the presenter knows only the posted form.
    public var url: String
    /// The body of a posted form; nil when the parameters are in the URL.
    public var form: [UInt8]?

    /// Creates a callback.
    public init(url: String, form: [UInt8]? = nil) {
        self.url = url
        self.form = form
    }
}

extension PresentedCallback: Redacted {
    /// Whether the callback was posted or is in a URL, without its parameters.
    public var description: String { form == nil ? "PresentedCallback(in a URL)" : "PresentedCallback(posted)" }
}

/// A login for a presenter to show.
public struct PresentedLogin: Sendable {
    /// The provider's name.
    public let provider: String
    /// The redirect URI of the login's options, or else of the provider's configuration.
    ///
    /// If the value is nil, the provider uses the redirect URI that is registered for the client.
    public let redirectURI: String?
    private let begin: @Sendable (String?) async throws -> AuthorizationRequest
    private let awaited = AwaitedState()

    package init(
        provider: String,
        redirectURI: String?,
        begin: @escaping @Sendable (String?) async throws -> AuthorizationRequest
    ) {
        self.provider = provider
        self.redirectURI = redirectURI
        self.begin = begin
    }

    /// Begins the login and returns the URL of the login page.
    ///
    /// - Parameter redirectURI: The URI at which the presenter receives the callback: the property ``redirectURI``, unchanged or with the
    ///   port of a loopback listener (RFC 8252 section 7.3).
    /// - Returns: The authorization URL.
    /// - Throws: ``IdentityError``, for example when the provider or the store fails.
    public func authorizationURL(redirectURI: String?) async throws -> HTTPURL {
        try await page(redirectURI: redirectURI).url
    }

    /// Whether a callback carries this login's `state` exactly once.
    ///
    /// Check each request with this method, because any local program can send requests to a loopback redirect URI. If the result is false,
    /// for example before ``authorizationURL(redirectURI:)`` was called, respond with any page and keep listening. The completion of the
    /// login checks the other parameters.
    public func isAnswered(by callback: PresentedCallback) -> Bool {
        guard let expected = awaited.state.withLock({ $0 }),
            let given = try? LoginCallback(callback).value(of: "state")
        else { return false }
        return given.isEqual(to: expected)
    }

    /// Returns a copy of the login that passes the authorization URL first to a closure, and then to the presenter.
    package func announcing(_ announce: @escaping @Sendable (HTTPURL) -> Void) -> PresentedLogin {
        PresentedLogin(provider: provider, redirectURI: redirectURI) { redirectURI in
            let request = try await page(redirectURI: redirectURI)
            announce(request.url)
            return request
        }
    }

    private func page(redirectURI: String?) async throws -> AuthorizationRequest {
        let request = try await begin(redirectURI)
        awaited.state.withLock { $0 = request.attempt.state }
        return request
    }
}

/// The `state` of the last authorization URL of a ``PresentedLogin``; copies of the login share this object.
private final class AwaitedState: Sendable {
    let state = Mutex<Secret?>(nil)
}
