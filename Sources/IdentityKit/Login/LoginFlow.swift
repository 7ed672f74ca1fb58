internal import IdentityCrypto
internal import IdentityHTTP
internal import Synchronization

/// A complete login with a presenter or a device prompt, as an async call, with a completion handler or with a delegate.
///
/// On a web server, use ``SessionManager/begin(_:options:)`` and ``SessionManager/complete(_:browserBinding:provider:)`` instead, because
/// a login consists of two requests of the browser.
///
/// ```swift
/// let flow = LoginFlow(provider: "shopify", sessions: sessions, presenter: LoopbackPresenter())
/// let session = try await flow.login()
/// ```
public struct LoginFlow: Sendable {
    private let provider: String
    private let sessions: SessionManager
    private let method: Method

    private enum Method: Sendable {
        case page(any Presenter)
        case device(@Sendable (DeviceLoginPrompt) async throws -> Void)
    }

    /// Creates a flow in which the presenter shows the login page and receives the callback.
    public init(provider: String, sessions: SessionManager, presenter: any Presenter) {
        self.provider = provider
        self.sessions = sessions
        method = .page(presenter)
    }

    /// Creates a flow in which the buyer signs in on another device (``SessionManager/deviceLogin(_:options:prompt:)``).
    ///
    /// The provider must conform to ``DeviceAuthorizing``. Each login calls `devicePrompt` once, after the provider has issued a code.
    public init(
        provider: String,
        sessions: SessionManager,
        devicePrompt: @escaping @Sendable (DeviceLoginPrompt) async throws -> Void
    ) {
        self.provider = provider
        self.sessions = sessions
        method = .device(devicePrompt)
    }

    /// Signs the buyer in.
    ///
    /// - Throws: ``IdentityError``; of kind ``IdentityError/Kind/cancelled`` when the buyer cancelled the login or the task was cancelled.
    public func login(_ options: LoginOptions = LoginOptions()) async throws -> Session {
        try await Correlation.scope {
            do {
                switch method {
                case .page(let presenter): return try await present(options, by: presenter)
                case .device(let prompt):
                    return try await sessions.deviceLogin(provider, options: options, prompt: prompt)
                }
            } catch {
                throw IdentityError.wrapping(error)
            }
        }
    }

    /// Signs the buyer in and calls a completion handler exactly once, on the executor.
    @discardableResult
    public func login(
        _ options: LoginOptions = LoginOptions(),
        on executor: CallbackExecutor = .immediate,
        completion: @escaping @Sendable (Result<Session, IdentityError>) -> Void
    ) -> LoginHandle {
        LoginHandle(executor.run({ try await login(options) }, completion: completion))
    }

    /// Signs the buyer in and calls one method of the delegate, on the executor.
    ///
    /// The delegate is held weakly, and gets no call if it is released before the call.
    @discardableResult
    public func login(
        _ options: LoginOptions = LoginOptions(),
        on executor: CallbackExecutor = .immediate,
        delegate: any LoginDelegate
    ) -> LoginHandle {
        login(options, on: executor) { [weak delegate] result in
            switch result {
            case .success(let session): delegate?.loginDidComplete(session)
            case .failure(let error) where error.kind == .cancelled: delegate?.loginDidCancel()
            case .failure(let error): delegate?.loginDidFail(error)
            }
        }
    }

    private func present(_ options: LoginOptions, by presenter: any Presenter) async throws -> Session {
        let descriptor = try sessions.descriptor(of: provider)
        let binding = try BrowserBinding(random: sessions.environment.random)
        let started = sessions.clock.elapsed
        let attempt = Mutex<LoginAttempt?>(nil)
        let login = PresentedLogin(provider: provider, redirectURI: options.redirectURI ?? descriptor.redirectURI) {
            [sessions, provider] redirectURI in
            var options = options
            options.redirectURI = redirectURI
            let request = try await sessions.startAttempt(provider, options, binding)
            attempt.withLock { $0 = request.attempt }
            return request
        }
        let callback: LoginCallback
        do {
            let received = try await receive(login, descriptor.responseMode, by: presenter)
            try Task.checkCancellation()
            try Self.check(received.url, against: attempt.withLock { $0?.redirectURI })
            callback = try LoginCallback(received)
        } catch {
            // The failure is reported only if `startAttempt` has reported the start of the login. `complete` reports its own failures.
            guard attempt.withLock({ $0 != nil }) else { throw error }
            throw sessions.events.failed(IdentityEvent.Kind.loginFailed, error, provider: provider, since: started)
        }
        return try await sessions.complete(callback, browserBinding: binding.cookie, provider: provider).session
    }

    private func receive(
        _ login: PresentedLogin,
        _ mode: ResponseMode,
        by presenter: any Presenter
    ) async throws -> PresentedCallback {
        guard mode == .formPost else { return PresentedCallback(url: try await presenter.present(login)) }
        guard let presenter = presenter as? any FormPostPresenting else {
            throw IdentityError(
                configuration: """
                    The provider \(login.provider) posts the authorization response (responseMode form_post), but the presenter cannot \
                    receive a posted form.
                    """,
                hint: """
                    Use a presenter that conforms to FormPostPresenting, such as LoopbackPresenter. Or set the provider's responseMode to \
                    query, if the provider permits this response mode.
                    """,
                reference: "OAuth 2.0 Form Post Response Mode section 2"
            )
        }
        return try await presenter.presentCatchingForms(login)
    }

    /// Checks that a callback arrived at the redirect URI of the login; a callback at another URL may belong to another client.
    ///
    /// A presenter may return the URL without its origin, or the query alone. Missing parts are not checked.
    package static func check(_ callbackURL: String, against redirectURI: String?) throws(IdentityError) {
        guard let redirectURI, !CallbackAddress(url: callbackURL).matches(redirectURI) else { return }
        throw IdentityError(
            .rejected,
            .callbackInvalid,
            "The address of the callback, without its query, is not the redirect URI of this login (\(redirectURI)).",
            hint: """
                Pass the callback's URL as the browser requested it, or only the path and the query of this URL. If the address still \
                differs, correct the redirect URI in the app (provider's configuration, LoginOptions or presenter) and at the provider.
                """,
            reference: "RFC 9700 section 4.4.2.2"
        )
    }
}
