public import IdentityHTTP
public import IdentityKit
internal import IdentityLoopback

/// Shows the login in the system browser and receives the callback on a loopback port (RFC 8252 sections 7.3 and 8.3).
///
/// The port is open only while a login or logout is pending. For a redirect URI with a port, that port is used; one
/// without, such as `http://127.0.0.1/callback`, gets a free port for every login. The first callback with this login's
/// `state` is accepted. All other requests get a response and are ignored, because every page and every program on this
/// machine can send a request to the port. The rest of the callback is checked when the login is completed.
///
/// ```swift
/// let presenter = LoopbackPresenter { url, isOpened in
///     if !isOpened { print("Open \(url.text)") }
/// }
/// let session = try await LoginFlow(provider: "shopify", sessions: sessions, presenter: presenter).login()
/// ```
public struct LoopbackPresenter: FormPostPresenting {
    /// The maximum number of open connections.
    ///
    /// A browser needs a few; each uses a file descriptor of the app.
    private static let maximumConnections = 128
    /// The maximum size of a posted callback.
    private static let maximumFormBytes = 16_384

    private let browser: any BrowserOpening
    private let deadline: Duration
    private let clock: any IdentityClock
    private let announce: @Sendable (HTTPURL, Bool) async -> Void

    /// Creates a presenter.
    ///
    /// - Parameters:
    ///   - browser: Opens the login page, by default the system's browser.
    ///   - deadline: The time limit for the buyer, by default 5 minutes.
    ///   - clock: Measures the deadline.
    ///   - announce: Receives the URL of the page and the result of ``BrowserOpening/open(_:)``. If it is false, the
    ///     buyer must open the URL.
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

    /// Listens, opens the browser, waits for the callback and closes the port.
    ///
    /// - Throws: `IdentityError` of kind configuration when the redirect URI is not a loopback URI or its port is taken, with
    ///   code `IdentityError.Code.attemptExpired` after the deadline, and for a login that cannot begin; `CancellationError` when the
    ///   task was cancelled.
    public func present(_ login: PresentedLogin) async throws -> String {
        try await present(login, takesForms: false).url
    }

    /// Does the same as ``present(_:)`` for `response_mode=form_post`: accepts a form of at most 16 KiB, or a redirect.
    public func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        try await present(login, takesForms: true)
    }

    /// Shows a provider's logout page in the browser and waits for the browser's return.
    ///
    /// The first request to the address is the return. Check it with `SessionManager.completeLogout`.
    ///
    /// - Parameters:
    ///   - postLogoutRedirectURI: The registered address, on a loopback literal; one without a port gets a free one.
    ///   - page: Ends the session, and returns the provider's logout page for the address at which this presenter listens; nil when
    ///     the browser will not return.
    /// - Returns: The URL of the return, for `LogoutCallback`; nil without a page.
    /// - Throws: The same errors as ``present(_:)``, and the closure's errors.
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

    /// Listens, opens the page in the browser, waits for the callback and closes the port; nil without a page.
    private func present(
        at redirectURI: String?,
        for awaited: CallbackReceiver.Awaited,
        page: (String) async throws -> HTTPURL?
    ) async throws -> PresentedCallback? {
        let redirect = try LoopbackRedirect(redirectURI, member: awaited.addressMember)
        let catcher = CallbackReceiver(redirect, for: awaited)
        let server = try await Self.listen(redirect, catcher, member: awaited.addressMember)
        do {
            catcher.listens(on: server.port)
            guard let url = try await page(redirect.text(listeningOn: server.port)) else {
                await server.stop()
                return nil
            }
            let isOpened = await browser.open(url)
            await announce(url, isOpened)
            let callback = try await wait(for: catcher)
            await server.finish()
            return callback
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func listen(
        _ redirect: LoopbackRedirect,
        _ catcher: CallbackReceiver,
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
            ) { catcher.answer($0) }
        } catch {
            throw IdentityError(
                configuration: redirect.port.map { "The app could not listen on port \($0) of \(member)." }
                    ?? "The app could not listen on a loopback port.",
                hint: redirect.port == nil
                    ? "The cause names the call that failed. Check the limit of open files and the loopback address."
                    : "The cause names the call that failed. If another login or program uses the port, wait or end it, or "
                        + "configure \(member) without a port, if the provider permits this.",
                reference: "RFC 8252 section 7.3",
                cause: error
            )
        }
    }

    private func wait(for catcher: CallbackReceiver) async throws -> PresentedCallback {
        try await withThrowingTaskGroup(of: PresentedCallback?.self) { group in
            group.addTask { try await catcher.callback() }
            group.addTask { [clock, deadline] in
                try await clock.sleep(for: deadline)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let callback = first else {
                throw IdentityError(
                    .rejected,
                    .attemptExpired,
                    "The browser did not return from the provider's page in time.",
                    hint:
                        "Start the login again. After a logout, the app's session has ended, but perhaps not the provider's."
                )
            }
            return callback
        }
    }
}
