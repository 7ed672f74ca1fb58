public import IdentityHTTP
public import IdentityKit

/// Announces the login's URL and reads the callback as a line of text: for terminals, scripts, and machines without a browser.
///
/// The line is the URL to which the browser was redirected or, for `ResponseMode.formPost`, the body of the form that the browser
/// posted.
///
/// ```swift
/// let presenter = ManualPresenter { url in
///     print("Open \(url.text), sign in, and paste the address of the page to which you are redirected:")
/// }
/// let session = try await LoginFlow(provider: "shopify", sessions: sessions, presenter: presenter).login()
/// ```
public struct ManualPresenter: FormPostPresenting {
    private let announce: @Sendable (HTTPURL) async -> Void
    private let lines: any LineSource

    /// Creates a presenter.
    ///
    /// - Parameters:
    ///   - lines: The source of the line with the callback, by default standard input.
    ///   - announce: Receives the authorization URL before a line is read.
    public init(
        lines: any LineSource = StandardInput(),
        announce: @escaping @Sendable (_ url: HTTPURL) async -> Void
    ) {
        self.announce = announce
        self.lines = lines
    }

    /// Announces the URL and returns the first line that is not blank.
    ///
    /// - Throws: `CancellationError` when the source ends before a line that is not blank, or the task was cancelled;
    ///   `IdentityError` of `PresentedLogin.authorizationURL`, and when the line is too long, not UTF-8 or not readable.
    public func present(_ login: PresentedLogin) async throws -> String {
        try await line(for: login)
    }

    /// Does the same as ``present(_:)`` for `response_mode=form_post`: the line is the body of the form.
    ///
    /// A line with a question mark is read as a URL.
    public func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        let line = try await line(for: login)
        // A posted form contains no question mark: browsers encode it as %3F.
        guard !line.utf8.contains(UInt8(ascii: "?")) else { return PresentedCallback(url: line) }
        return PresentedCallback(url: "", form: Array(line.utf8))
    }

    private func line(for login: PresentedLogin) async throws -> String {
        await announce(try await login.authorizationURL(redirectURI: login.redirectURI))
        guard let text = try await lines.nextText() else { throw CancellationError() }
        return text
    }
}
