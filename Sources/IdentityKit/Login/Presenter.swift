public import IdentityHTTP

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

/// A login that waits to be shown.
public struct PresentedLogin: Sendable {
    /// The provider's name.
    public let provider: String
    /// The redirect URI that is configured, or nil where the provider has a registered one only.
    public let redirectURI: String?
    private let begin: @Sendable (String?) async throws -> HTTPURL

    package init(
        provider: String,
        redirectURI: String?,
        begin: @escaping @Sendable (String?) async throws -> HTTPURL
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
        try await begin(redirectURI)
    }
}
