public import IdentityHTTP
public import IdentityKit
internal import IdentityLoopback

/// Shows the login in the system browser and receives the callback on a loopback port (RFC 8252 sections 7.3 and 8.3).
///
/// The port is open only while a login or logout is pending. If the redirect URI contains a port, the presenter listens on this
/// port. For a URI without a port, such as `http://127.0.0.1/callback`, the system chooses a free port for every login.
/// The first callback with this login's `state` ends the wait. A request without this `state` gets an error response and is
/// ignored, because any web page and any program on this machine can send a request to the port.
/// `SessionManager.complete` checks the other parameters of the callback.
///
/// ```swift
/// let presenter = LoopbackPresenter { url, isOpened in
///     if !isOpened { print("Open \(url.text)") }
/// }
/// let session = try await LoginFlow(provider: "shopify", sessions: sessions, presenter: presenter).login()
/// ```
public struct LoopbackPresenter: FormPostPresenting {
    /// A browser needs only a few connections, and each connection uses a file descriptor of the app.
    private static let maximumConnections = 128
    private static let maximumFormBytes = 16_384

    private let browser: any BrowserOpening
    private let deadline: Duration
    private let clock: any IdentityClock
    private let announce: @Sendable (HTTPURL, Bool) async -> Void

    /// Creates a presenter.
    ///
    /// - Parameters:
    ///   - browser: Opens the login page, by default the system's browser.
    ///   - deadline: How long to wait for the browser's return, by default 5 minutes.
    ///   - clock: Measures the deadline.
    ///   - announce: Receives the URL of the page and the result of ``BrowserOpening/open(_:)``. If the result is false, show
    ///     the URL to the buyer.
    public init(
        browser: any BrowserOpening = SystemBrowser(),
        deadline: Duration = .seconds(300),
        clock: any IdentityClock = SystemClock(),
        announce: @escaping @Sendable (_ url: HTTPURL, _ isOpened: Bool) async -> Void = { _, _ in }
    ) {
        self.browser = browser
        self.deadline = deadline
        self.clock = clock
        self.announce = announce
    }

    /// Listens on the port, opens the login page in the browser, waits for the callback and closes the port.
    ///
    /// - Throws: `IdentityError` of kind configuration if the redirect URI is not an http URI with the host 127.0.0.1 or [::1], or the
    ///   port cannot be opened; `IdentityError` with code `IdentityError.Code.attemptExpired` after the deadline; the error of
    ///   `PresentedLogin.authorizationURL`; `CancellationError` when the task was cancelled.
    public func present(_ login: PresentedLogin) async throws -> String {
        try await present(login, takesForms: false).url
    }

    /// Does the same as ``present(_:)`` for `response_mode=form_post`: accepts a form of at most 16 KiB, or a redirect.
    public func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        try await present(login, takesForms: true)
    }

    /// Shows a provider's logout page in the browser and waits for the browser's return.
    ///
    /// The first page request to `postLogoutRedirectURI` ends the wait. This function does not check the request's parameters. Check the
    /// returned URL with `SessionManager.completeLogout`, because any program on this machine can send such a request.
    ///
    /// - Parameters:
    ///   - postLogoutRedirectURI: The URI registered at the provider, with the host 127.0.0.1 or [::1]. Without a port, the system
    ///     chooses a free port.
    ///   - page: Ends the app's session and returns the URL of the provider's logout page. It returns nil if the browser will not return
    ///     from that page; in this case this presenter opens no page. The argument is the URI at which this presenter listens.
    /// - Returns: The URL of the browser's return, for `LogoutCallback`; nil if `page` returned nil.
    /// - Throws: The same errors as ``present(_:)``, and the errors of `page`.
    public func presentLogout(
        returningTo postLogoutRedirectURI: String,
        page: (_ postLogoutRedirectURI: String) async throws -> HTTPURL?
    ) async throws -> String? {
        try await present(at: postLogoutRedirectURI, for: .logout, page: page)?.url
    }

    private func present(_ login: PresentedLogin, takesForms: Bool) async throws -> PresentedCallback {
        let awaited = CallbackReceiver.Awaited.login(login, takesForms: takesForms)
        let callback = try await present(at: login.redirectURI, for: awaited) {
            try await login.authorizationURL(redirectURI: $0)
        }
        guard let callback else { throw CancellationError() }
        return callback
    }

    private func present(
        at redirectURI: String?,
        for awaited: CallbackReceiver.Awaited,
        page: (String) async throws -> HTTPURL?
    ) async throws -> PresentedCallback? {
        let redirect = try LoopbackRedirect(redirectURI, member: awaited.addressMember)
        let receiver = CallbackReceiver(redirect, for: awaited)
        let server = try await Self.listen(redirect, receiver, member: awaited.addressMember)
        do {
            receiver.listens(on: server.port)
            guard let url = try await page(redirect.text(listeningOn: server.port)) else {
                await server.stop()
                return nil
            }
            let isOpened = await browser.open(url)
            await announce(url, isOpened)
            let callback = try await wait(for: receiver)
            await server.finish()
            return callback
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func listen(
        _ redirect: LoopbackRedirect,
        _ receiver: CallbackReceiver,
        member: String
    ) async throws -> LoopbackServer {
        var limits = LoopbackLimits()
        limits.connections = maximumConnections
        limits.bodyBytes = maximumFormBytes
        limits.idleTimeout = .seconds(10)
        do {
            return try await LoopbackServer.start(
                port: redirect.port ?? 0,
                address: redirect.address,
                limits: limits
            ) { receiver.answer($0) }
        } catch {
            throw IdentityError(
                configuration: redirect.port.map { "The app could not listen on port \($0), the port in \(member)." }
                    ?? "The app could not listen on a loopback port.",
                hint: redirect.port == nil
                    ? "Read the error's cause. Check the loopback interface, and the limits of open files and threads (ulimit -n, -u)."
                    : "Read the error's cause. If another login or program uses the port, wait until it has ended, or "
                        + "configure \(member) without a port, if the provider permits this. Usually only root may use a port below "
                        + "1024.",
                reference: "RFC 8252 section 7.3",
                cause: error
            )
        }
    }

    private func wait(for receiver: CallbackReceiver) async throws -> PresentedCallback {
        try await withThrowingTaskGroup(of: PresentedCallback?.self) { group in
            group.addTask { try await receiver.callback() }
            group.addTask { [clock, deadline] in
                try await clock.sleep(for: deadline)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let callback = first else {
                throw IdentityError(
                    .rejected,
                    .attemptExpired,
                    "The browser did not come back from the provider's page with a valid response before the presenter's deadline.",
                    hint:
                        "If this was a login, start the login again. If this was a logout, sign out at the provider too: the app's "
                        + "session has ended, but perhaps not the provider's."
                )
            }
            return callback
        }
    }
}
