internal import IdentityCrypto
internal import IdentityHTTP
internal import Synchronization

/// One whole login with a presenter: three ways to call it, one engine behind them.
///
/// A web server, where the login is two requests, uses ``SessionManager/begin(_:options:)`` and
/// ``SessionManager/complete(_:browserBinding:provider:)`` instead; they are the same engine.
public struct LoginFlow: Sendable {
    private let provider: String
    private let sessions: SessionManager
    private let way: Way

    private enum Way: Sendable {
        case page(any Presenter)
        case device(@Sendable (DeviceLoginPrompt) async throws -> Void)
    }

    /// Creates a flow.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - sessions: Keeps the session that comes of it.
    ///   - presenter: Shows the login page.
    public init(provider: String, sessions: SessionManager, presenter: any Presenter) {
        self.provider = provider
        self.sessions = sessions
        way = .page(presenter)
    }

    /// Creates a flow in which the buyer signs in on another device; see ``SessionManager/deviceLogin(_:options:prompt:)``.
    ///
    /// - Parameters:
    ///   - provider: The provider's name; it must be ``DeviceAuthorizing``.
    ///   - sessions: Keeps the session that comes of it.
    ///   - devicePrompt: Shows the buyer the code and where to enter it; called once for each login.
    public init(
        provider: String,
        sessions: SessionManager,
        devicePrompt: @escaping @Sendable (DeviceLoginPrompt) async throws -> Void
    ) {
        self.provider = provider
        self.sessions = sessions
        way = .device(devicePrompt)
    }

    /// Signs the buyer in.
    ///
    /// - Throws: ``IdentityError``; of kind ``IdentityError/Kind/cancelled`` when the buyer gave up or the task was cancelled.
    public func login(_ options: LoginOptions = LoginOptions()) async throws -> Session {
        try await Correlation.scope {
            do {
                switch way {
                case .page(let presenter): return try await present(options, by: presenter)
                case .device(let prompt):
                    return try await sessions.deviceLogin(provider, options: options, prompt: prompt)
                }
            } catch {
                throw IdentityError.wrapping(error)
            }
        }
    }

    /// Signs the buyer in and calls back.
    ///
    /// - Parameters:
    ///   - options: What to ask for.
    ///   - executor: Where the completion runs.
    ///   - completion: Called exactly once.
    /// - Returns: A handle by which to cancel.
    @discardableResult
    public func login(
        _ options: LoginOptions = LoginOptions(),
        on executor: CallbackExecutor = .immediate,
        completion: @escaping @Sendable (Result<Session, IdentityError>) -> Void
    ) -> LoginHandle {
        // Unstructured: callers of this entry point have no task to be a child of; the handle cancels it.
        LoginHandle(
            Task {
                let result: Result<Session, IdentityError>
                do {
                    result = .success(try await login(options))
                } catch {
                    result = .failure(IdentityError.wrapping(error))
                }
                executor.execute { completion(result) }
            }
        )
    }

    /// Signs the buyer in and tells a delegate, which is held weakly.
    ///
    /// - Parameters:
    ///   - options: What to ask for.
    ///   - executor: Where the delegate is called.
    ///   - delegate: Is told exactly one thing, once.
    /// - Returns: A handle by which to cancel.
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
        let binding = try sessions.environment.random.bytes(32)
        let bindingHash = try Digest.sha256(binding)
        let usedRedirectURI = Mutex<String?>(nil)
        let login = PresentedLogin(provider: provider, redirectURI: options.redirectURI ?? descriptor.redirectURI) {
            [sessions, provider] redirectURI in
            var options = options
            options.redirectURI = redirectURI
            let request = try await sessions.start(provider, options, bindingHash: bindingHash)
            usedRedirectURI.withLock { $0 = request.attempt.redirectURI }
            return request
        }
        let caught = try await caught(login, descriptor.responseMode, by: presenter)
        try Task.checkCancellation()
        try Self.check(caught.url, against: usedRedirectURI.withLock { $0 })
        let callback = try caught.form.map { try LoginCallback(form: $0) } ?? LoginCallback(url: caught.url)
        let completed = try await sessions.complete(
            callback,
            browserBinding: Secret(Base64URL.encode(binding)),
            provider: provider
        )
        return completed.session
    }

    private func caught(
        _ login: PresentedLogin,
        _ mode: ResponseMode,
        by presenter: any Presenter
    ) async throws -> PresentedCallback {
        guard mode == .formPost else { return PresentedCallback(url: try await presenter.present(login)) }
        guard let presenter = presenter as? any FormPostPresenting else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The provider posts its answer (responseMode form_post), and this presenter accepts redirects only.",
                hint: "Remove responseMode from the provider's configuration, or use the loopback presenter."
            )
        }
        return try await presenter.presentCatchingForms(login)
    }

    /// A callback must come to the redirect URI: another place is another client's callback.
    ///
    /// A presenter may leave out the origin, or all but the query.
    package static func check(_ callbackURL: String, against redirectURI: String?) throws(IdentityError) {
        guard let redirectURI, !CallbackPlace(url: callbackURL).mayBe(redirectURI) else { return }
        throw IdentityError(
            .rejected,
            .callbackInvalid,
            "The callback URL is not the redirect URI of this login.",
            hint:
                "Compare redirectURI in the configuration with the redirect URI that is registered at the provider, character by character.",
            reference: "RFC 9700 section 4.4.2.2"
        )
    }
}
