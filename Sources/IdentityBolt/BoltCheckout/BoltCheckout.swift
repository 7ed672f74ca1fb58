public import IdentityKit
internal import Synchronization

/// Signs buyers in at Bolt, with the names and calls of Bolt's SDK for phones; a presenter replaces the phone's web view.
///
/// ```swift
/// BoltCheckout.configure(provider: bolt, presenter: presenter)
/// BoltCheckout.shared.startLogin { result in
///     if case .completed(let authorizationCode, let codeVerifier, let state) = result {
///         exchange(authorizationCode, codeVerifier, state)
///     }
/// }
/// ```
///
/// A login with `BoltCheckout` ends with an authorization code, which the app must exchange. New programs should use
/// `IdentityKit.LoginFlow` and `IdentityKit.SessionManager`: there, a login ends with a stored session.
public final class BoltCheckout: Sendable {
    private struct Setup: Sendable {
        var provider: any BoltAuthorizing
        var presenter: (any Presenter)?
        var executor: CallbackExecutor
        var onLogOut: (@Sendable () -> Void)?
    }

    /// The shared instance, as in Bolt's documentation; configure it before the first login.
    public static let shared = BoltCheckout()

    private let setup = Mutex<Setup?>(nil)
    private let logins = Mutex<[WeakEngine]>([])

    /// Creates another instance, for apps with more than one shop and for tests.
    public init() {}

    /// Configures ``shared``; see the instance method of the same name.
    public static func configure(
        provider: any BoltAuthorizing,
        presenter: (any Presenter)? = nil,
        callbacksOn executor: CallbackExecutor = .immediate,
        onLogOut: (@Sendable () -> Void)? = nil
    ) {
        shared.configure(provider: provider, presenter: presenter, callbacksOn: executor, onLogOut: onLogOut)
    }

    /// Configures this instance; running logins keep the configuration that they started with.
    ///
    /// - Parameters:
    ///   - provider: ``BoltProvider`` or ``SFCCProvider``.
    ///   - presenter: Shows the login page, unless another presenter is passed to `startLogin`.
    ///   - executor: The executor that calls completions and delegates.
    ///   - onLogOut: Called by ``logOut()``; it should end the app's own sessions, for example with `SessionManager.logout`.
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

    /// Signs the buyer in and calls the completion exactly once, on the configured executor.
    ///
    /// `presenter` replaces the configured presenter. The returned handle cancels the login.
    @discardableResult
    public func startLogin(
        loginConfig: BoltLoginConfig = BoltLoginConfig(),
        presenter: (any Presenter)? = nil,
        _ completion: @escaping @Sendable (BoltLoginResult) -> Void
    ) -> LoginHandle {
        engine(loginConfig, completion).present(with: presenter)
    }

    /// Signs the buyer in and calls the delegate exactly once, on the configured executor.
    ///
    /// The reference to the delegate is weak. `presenter` replaces the configured presenter. The returned handle cancels the login.
    @discardableResult
    public func startLogin(
        loginConfig: BoltLoginConfig = BoltLoginConfig(),
        delegate: any BoltLoginDelegate,
        presenter: (any Presenter)? = nil
    ) -> LoginHandle {
        engine(loginConfig, Self.calling(delegate)).present(with: presenter)
    }

    /// Signs the buyer in; if the calling task is cancelled before the callback arrives, the result is ``BoltLoginResult/canceled``.
    public func startLogin(
        loginConfig: BoltLoginConfig = BoltLoginConfig(),
        presenter: (any Presenter)? = nil
    ) async -> BoltLoginResult {
        let outcome = Mutex(BoltLoginResult.canceled)
        let engine = engine(loginConfig, on: .immediate) { result in outcome.withLock { $0 = result } }
        let login = engine.present(with: presenter)
        await withTaskCancellationHandler {
            await login.finished()
        } onCancel: {
            login.cancel()
        }
        return outcome.withLock { $0 }
    }

    /// Cancels running logins and calls the configured `onLogOut`.
    ///
    /// The function sends nothing to Bolt, because Bolt documents no logout endpoint. To end Bolt's session, call `logOut()` of
    /// Bolt's SDK on the buyer's device.
    public func logOut() {
        for login in logins.withLock({ $0 }) { login.engine?.cancel(endsCheck: true) }
        setup.withLock { $0?.onLogOut }?()
    }

    func engine(
        _ loginConfig: BoltLoginConfig,
        on executor: CallbackExecutor? = nil,
        _ completion: @escaping @Sendable (BoltLoginResult) -> Void
    ) -> BoltLoginEngine {
        let setup = setup.withLock { $0 }
        let executor = executor ?? setup?.executor ?? .immediate
        let engine = BoltLoginEngine(
            provider: setup?.provider,
            presenter: setup?.presenter,
            loginConfig: loginConfig
        ) { result in
            executor.execute { completion(result) }
        }
        logins.withLock { logins in
            logins.removeAll { $0.engine == nil }
            logins.append(WeakEngine(engine: engine))
        }
        return engine
    }

    static func calling(_ delegate: any BoltLoginDelegate) -> @Sendable (BoltLoginResult) -> Void {
        // Safe, because reading a weak reference is atomic, and the delegate's functions are called on the app's chosen executor.
        nonisolated(unsafe) weak let reference = delegate
        return { result in
            let delegate = unsafe reference
            switch result {
            case .completed(let code, let verifier, let state):
                delegate?.onLoginSuccess(authCode: code, codeVerifier: verifier, state: state)
            case .canceled: delegate?.onLoginCancel()
            case .failed(let error): delegate?.onLoginError(errorReason: error.localizedDescription)
            }
        }
    }
}

private struct WeakEngine: Sendable {
    weak let engine: BoltLoginEngine?
}
