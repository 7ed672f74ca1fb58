public import IdentityHTTP
internal import Synchronization

/// Whatever shows the login page to the buyer and catches the way back: a browser with a loopback listener, a terminal, a
/// sandbox's robot, an app's own web view.
public protocol Presenter: Sendable {
    /// Shows the login and returns the URL to which the provider redirected, as it came.
    ///
    /// Ask the login for its authorization URL once, with the redirect URI that the presenter really listens on.
    ///
    /// - Throws: `CancellationError` when the buyer closed the page or the task was cancelled, ``IdentityError`` otherwise.
    func present(_ login: PresentedLogin) async throws -> String
}

/// A presenter that can also catch a form which the browser posts, for providers that are asked for
/// ``ResponseMode/formPost``.
public protocol FormPostPresenting: Presenter {
    /// Shows the login and returns what came back, posted or in a URL; whether it came as it should is judged later.
    ///
    /// - Throws: As ``Presenter/present(_:)``.
    func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback
}

/// What a presenter caught.
public struct PresentedCallback: Sendable {
    /// The URL that the browser asked for, as it came.
    public var url: String
    /// The body of a posted form; nil when the answer is in the URL.
    public var form: [UInt8]?

    /// Creates a callback.
    public init(url: String, form: [UInt8]? = nil) {
        self.url = url
        self.form = form
    }
}

extension PresentedCallback: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which way it came; nothing of what it holds.
    public var description: String { form == nil ? "PresentedCallback(in a URL)" : "PresentedCallback(posted)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A login that waits to be shown.
public struct PresentedLogin: Sendable {
    /// The provider's name.
    public let provider: String
    /// The redirect URI that is configured, or nil where the provider has a registered one only.
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

    /// Begins the login and returns the page to show.
    ///
    /// - Parameter redirectURI: Where the callback will be caught: ``redirectURI`` itself, or with the port that a loopback
    ///   listener got (RFC 8252 section 7.3).
    public func authorizationURL(redirectURI: String?) async throws -> HTTPURL {
        try await page(redirectURI: redirectURI).url
    }

    /// Whether a callback carries this login's `state`, and carries it once.
    ///
    /// Ask before you end the wait: everybody who reaches the place of the callback can send one. Answer what is not this login's,
    /// ignore it, and keep waiting. The rest of the callback is checked when the login is completed. False before the page was
    /// asked for.
    public func isAnswered(by callback: PresentedCallback) -> Bool {
        guard let expected = awaited.state.withLock({ $0 }),
            let callback = try? callback.form.map({ try LoginCallback(form: $0) }) ?? LoginCallback(url: callback.url),
            let given = try? callback.value(of: "state")
        else { return false }
        return given.isEqual(to: expected)
    }

    /// The same login, which tells its authorization URL before the presenter gets it.
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

/// The `state` of the page that was asked for last; copies of a login share it.
private final class AwaitedState: Sendable {
    let state = Mutex<Secret?>(nil)
}
