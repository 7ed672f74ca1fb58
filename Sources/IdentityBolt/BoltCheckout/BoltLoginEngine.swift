internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// One login at Bolt, up to the authorization code: the implementation of ``BoltCheckout`` and ``BoltLoginFlow``.
final class BoltLoginEngine: Sendable {
    private enum State {
        case idle
        case pending(AuthorizationRequest)
        case checking
        case ended

        var isEnded: Bool { if case .ended = self { true } else { false } }
    }

    private let provider: (any BoltAuthorizing)?
    private let presenter: (any Presenter)?
    private let loginConfig: BoltLoginConfig
    private let report: @Sendable (BoltLoginResult) -> Void
    private let state = Mutex(State.idle)
    private let presentation = Mutex<LoginHandle?>(nil)

    init(
        provider: (any BoltAuthorizing)?,
        presenter: (any Presenter)?,
        loginConfig: BoltLoginConfig,
        report: @escaping @Sendable (BoltLoginResult) -> Void
    ) {
        self.provider = provider
        self.presenter = presenter
        self.loginConfig = loginConfig
        self.report = report
    }

    func present(with presenter: (any Presenter)?) -> LoginHandle {
        let presenter = presenter ?? self.presenter
        // An unstructured task, because startLogin with a completion or a delegate is not async. The handle cancels the task.
        let handle = LoginHandle(
            Task {
                do {
                    guard let presenter else { throw Self.notConfigured("presenter") }
                    guard let descriptor = provider?.descriptor else { throw Self.notConfigured("provider") }
                    let login = PresentedLogin(
                        provider: descriptor.name,
                        redirectURI: descriptor.redirectURI
                    ) { try await self.authorizationRequest(redirectURI: $0) }
                    let callbackURL = try await presenter.present(login)
                    try Task.checkCancellation()
                    guard await self.handle(callbackURL) else { throw ignoredCallback }
                } catch {
                    fail(error)
                }
            }
        )
        presentation.withLock { $0 = handle }
        // If `cancel` ended the login before this method stored the handle, `cancel` could not cancel the task.
        if state.withLock({ $0.isEnded }) { handle.cancel() }
        return handle
    }

    func authorizationRequest(redirectURI: String?) async throws -> AuthorizationRequest {
        if let pending = try pendingRequest(else: nil) { return pending }
        let request: AuthorizationRequest
        do {
            guard let provider else { throw Self.notConfigured("provider") }
            var options = LoginOptions()
            options.redirectURI = redirectURI
            request = try await provider.authorizationRequest(options, usePkce: loginConfig.usePkce)
        } catch {
            // Another call may have created a request in the meantime, and the presenter may already show the login page of that request.
            if let pending = try pendingRequest(else: nil) { return pending }
            fail(error)
            throw IdentityError.wrapping(error)
        }
        return try pendingRequest(else: request) ?? request
    }

    /// Returns the request that this login already has; if the login has no request yet, stores and returns `new`.
    private func pendingRequest(else new: AuthorizationRequest?) throws(IdentityError) -> AuthorizationRequest? {
        try state.withLock { state throws(IdentityError) in
            switch state {
            case .idle: if let new { state = .pending(new) }
            case .pending(let earlier): return earlier
            case .checking, .ended: throw Self.ended
            }
            return new
        }
    }

    func handle(_ callbackURL: String) async -> Bool {
        let request = state.withLock { state -> AuthorizationRequest? in
            guard case .pending(let request) = state else { return nil }
            state = .checking
            return request
        }
        guard let provider, let attempt = request?.attempt else { return false }
        do {
            try LoginFlow.check(callbackURL, against: attempt.redirectURI)
            let callback = try LoginCallback(url: callbackURL)
            let code = try await provider.authorizationCode(in: callback, for: attempt)
            end(
                .completed(
                    authorizationCode: code.reveal(),
                    codeVerifier: attempt.codeVerifier?.reveal() ?? "",
                    state: attempt.state.reveal()
                )
            )
        } catch {
            fail(error)
        }
        return true
    }

    /// Cancels a login that has not ended; while its callback is checked, only if `endsCheck` is true.
    func cancel(endsCheck: Bool = false) {
        let isOpen = end(.canceled) { state in
            switch state {
            case .idle, .pending: true
            case .checking: endsCheck
            case .ended: false
            }
        }
        if isOpen { presentation.withLock { $0 }?.cancel() }
    }

    private func fail(_ error: any Error) {
        let error = IdentityError.wrapping(error)
        end(error.kind == .cancelled ? .canceled : .failed(error))
    }

    @discardableResult
    private func end(
        _ result: BoltLoginResult,
        if isOpen: (State) -> Bool = { !$0.isEnded }
    ) -> Bool {
        let isFirst = state.withLock { state in
            guard isOpen(state) else { return false }
            state = .ended
            return true
        }
        if isFirst { report(result) }
        return isFirst
    }

    private static func notConfigured(_ what: String) -> IdentityError {
        IdentityError(
            configuration: "BoltCheckout has no \(what).",
            hint:
                "Call configure(provider:presenter:) of BoltCheckout before the first login. If only the presenter is missing, you can "
                + "pass a presenter to startLogin instead.",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login"
        )
    }

    private var ignoredCallback: IdentityError {
        let isTooEarly = state.withLock { state in
            switch state {
            case .idle, .pending: true
            case .checking, .ended: false
            }
        }
        return isTooEarly ? Self.callbackTooEarly : Self.ended
    }

    private static var ended: IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            "The login at Bolt cannot continue: it has ended, or has already received its callback.",
            hint: "Start a new login.",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login"
        )
    }

    private static var callbackTooEarly: IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            "The presenter returned a callback before it requested the login page.",
            hint:
                "Correct the presenter: it must call authorizationURL(redirectURI:) of PresentedLogin before it returns the callback. "
                + "Then start a new login.",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login"
        )
    }
}
