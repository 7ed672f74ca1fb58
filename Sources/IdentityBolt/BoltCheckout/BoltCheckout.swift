public import IdentityKit
internal import Synchronization

/// The entry point of Bolt's SDK, for a server: the same names and call shapes, with a presenter for what the phone shows.
///
/// ```swift
/// BoltCheckout.configure(provider: bolt, presenter: presenter)
/// BoltCheckout.shared.startLogin { result in
///     if case .completed(let authorizationCode, let codeVerifier, let state) = result { … }
/// }
/// ```
///
/// It ends with the code. `IdentityKit.LoginFlow` and `IdentityKit.SessionManager` go on to a stored session, and are what a
/// new program should use.
public final class BoltCheckout: Sendable {
    private struct Setup: Sendable {
        var provider: any BoltAuthorizing
        var presenter: (any Presenter)?
        var executor: CallbackExecutor
        var onLogOut: (@Sendable () -> Void)?
    }

    /// The one that code written from Bolt's pages uses; configure it before the first login.
    public static let shared = BoltCheckout()

    private let setup = Mutex<Setup?>(nil)
    private let logins = Mutex<[WeakEngine]>([])

    /// Creates one of its own, for apps with more than one shop and for tests.
    public init() {}

    /// Sets up ``shared``; see the instance method of the same name.
    public static func configure(
        provider: any BoltAuthorizing,
        presenter: (any Presenter)? = nil,
        callbacksOn executor: CallbackExecutor = .immediate,
        onLogOut: (@Sendable () -> Void)? = nil
    ) {
        shared.configure(provider: provider, presenter: presenter, callbacksOn: executor, onLogOut: onLogOut)
    }

    /// Sets this one up; logins that are under way keep what they began with.
    ///
    /// - Parameters:
    ///   - provider: ``BoltProvider`` or ``SFCCProvider``.
    ///   - presenter: Shows the login page where a call names no other.
    ///   - executor: Where completions and delegates are called.
    ///   - onLogOut: Ends what the app keeps, for example `SessionManager` sessions.
    public func configure(
        provider: any BoltAuthorizing,
        presenter: (any Presenter)? = nil,
        callbacksOn executor: CallbackExecutor = .immediate,
        onLogOut: (@Sendable () -> Void)? = nil
    ) {
        setup.withLock {
            $0 = Setup(provider: provider, presenter: presenter, executor: executor, onLogOut: onLogOut)
        }
    }

    /// Signs the buyer in and calls back exactly once.
    ///
    /// - Parameters:
    ///   - loginConfig: How the login is to be done.
    ///   - presenter: Shows the login page, instead of the configured one.
    ///   - completion: Called on the configured executor.
    /// - Returns: A handle by which to cancel.
    @discardableResult
    public func startLogin(
        loginConfig: BoltLoginConfig = BoltLoginConfig(),
        presenter: (any Presenter)? = nil,
        _ completion: @escaping @Sendable (BoltLoginResult) -> Void
    ) -> LoginHandle {
        present(engine(loginConfig, completion), with: presenter)
    }

    /// Signs the buyer in and tells the delegate, which is held weakly, exactly one thing.
    ///
    /// - Parameters:
    ///   - loginConfig: How the login is to be done.
    ///   - delegate: Is told on the configured executor.
    ///   - presenter: Shows the login page, instead of the configured one.
    /// - Returns: A handle by which to cancel.
    @discardableResult
    public func startLogin(
        loginConfig: BoltLoginConfig = BoltLoginConfig(),
        delegate: any BoltLoginDelegate,
        presenter: (any Presenter)? = nil
    ) -> LoginHandle {
        present(engine(loginConfig, Self.telling(delegate)), with: presenter)
    }

    /// Signs the buyer in; a cancelled task gives ``BoltLoginResult/canceled``.
    ///
    /// - Parameters:
    ///   - loginConfig: How the login is to be done.
    ///   - presenter: Shows the login page, instead of the configured one.
    public func startLogin(
        loginConfig: BoltLoginConfig = BoltLoginConfig(),
        presenter: (any Presenter)? = nil
    ) async -> BoltLoginResult {
        let outcome = Outcome()
        let engine = engine(loginConfig, on: .immediate) { result in outcome.result.withLock { $0 = result } }
        let login = present(engine, with: presenter)
        await withTaskCancellationHandler {
            await login.finished()
        } onCancel: {
            login.cancel()
        }
        return outcome.result.withLock { $0 }
    }

    /// Cancels the logins that are under way and runs the configured `onLogOut`.
    ///
    /// Bolt offers servers nothing by which to end its session: the app has to call `logOut()` of Bolt's SDK on the buyer's
    /// device as well.
    public func logOut() {
        for login in logins.withLock({ $0 }) { login.engine?.cancel() }
        setup.withLock { $0?.onLogOut }?()
    }

    func engine(
        _ loginConfig: BoltLoginConfig,
        on executor: CallbackExecutor? = nil,
        _ completion: @escaping @Sendable (BoltLoginResult) -> Void
    ) -> BoltLoginEngine {
        let setup = setup.withLock { $0 }
        let executor = executor ?? setup?.executor ?? .immediate
        let engine = BoltLoginEngine(provider: setup?.provider, loginConfig: loginConfig) { result in
            executor.execute { completion(result) }
        }
        logins.withLock { logins in
            logins.removeAll { $0.engine == nil }
            logins.append(WeakEngine(engine))
        }
        return engine
    }

    static func telling(_ delegate: any BoltLoginDelegate) -> @Sendable (BoltLoginResult) -> Void {
        { [weak delegate] result in
            switch result {
            case .completed(let code, let verifier, let state):
                delegate?.onLoginSuccess(authCode: code, codeVerifier: verifier, state: state)
            case .canceled: delegate?.onLoginCancel()
            case .failed(let error): delegate?.onLoginError(errorReason: error.localizedDescription)
            }
        }
    }

    private func present(_ engine: BoltLoginEngine, with presenter: (any Presenter)?) -> LoginHandle {
        let setup = setup.withLock { $0 }
        let presenter = presenter ?? setup?.presenter
        // Unstructured: callers of the closure and delegate forms have no task to be a child of; the handle cancels it.
        let handle = LoginHandle(
            Task {
                do {
                    guard let presenter else { throw BoltLoginEngine.notConfigured("presenter") }
                    let descriptor = setup?.provider.descriptor
                    let login = PresentedLogin(
                        provider: descriptor?.name ?? "",
                        redirectURI: descriptor?.redirectURI
                    ) { try await engine.authorizationRequest(redirectURI: $0) }
                    let callbackURL = try await presenter.present(login)
                    try Task.checkCancellation()
                    guard await engine.handle(callbackURL) else { throw BoltLoginEngine.over }
                } catch {
                    engine.fail(error)
                }
            }
        )
        engine.attach(handle)
        return handle
    }
}

/// The result of an awaited login, set before the login's task ends.
private final class Outcome: Sendable {
    let result = Mutex(BoltLoginResult.canceled)
}

/// Remembers a login for `logOut` without keeping it alive.
private struct WeakEngine: Sendable {
    weak let engine: BoltLoginEngine?

    init(_ engine: BoltLoginEngine) {
        self.engine = engine
    }
}
