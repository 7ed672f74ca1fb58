internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// One login at Bolt up to the code: the one implementation behind all entry points of the facade.
final class BoltLoginEngine: Sendable {
    private enum State {
        /// Nobody has asked for the login page yet.
        case idle
        /// The login page was asked for.
        case pending(AuthorizationRequest)
        /// A callback is being looked at.
        case judging
        /// The one terminal result has been reported.
        case ended
    }

    private let provider: (any BoltAuthorizing)?
    private let loginConfig: BoltLoginConfig
    private let report: @Sendable (BoltLoginResult) -> Void
    private let state = Mutex(State.idle)
    private let presentation = Mutex<LoginHandle?>(nil)

    init(
        provider: (any BoltAuthorizing)?,
        loginConfig: BoltLoginConfig,
        report: @escaping @Sendable (BoltLoginResult) -> Void
    ) {
        self.provider = provider
        self.loginConfig = loginConfig
        self.report = report
    }

    /// The task that shows the login page, which ends when the login is cancelled.
    func attach(_ presentation: LoginHandle) {
        self.presentation.withLock { $0 = presentation }
        let isOver = state.withLock { state in
            if case .ended = state { true } else { false }
        }
        if isOver { presentation.cancel() }
    }

    /// The login page, the same one however often it is asked for.
    func authorizationRequest(redirectURI: String?) async throws -> AuthorizationRequest {
        if let pending = try pendingRequest() { return pending }
        let request: AuthorizationRequest
        do {
            guard let provider else { throw Self.notConfigured("provider") }
            var options = LoginOptions()
            options.redirectURI = redirectURI
            request = try await provider.authorizationRequest(options, usePkce: loginConfig.usePkce)
        } catch {
            fail(error)
            throw IdentityError.wrapping(error)
        }
        return try state.withLock { state throws(IdentityError) in
            switch state {
            case .idle: state = .pending(request)
            case .pending(let earlier): return earlier
            case .judging, .ended: throw Self.over
            }
            return request
        }
    }

    private func pendingRequest() throws(IdentityError) -> AuthorizationRequest? {
        try state.withLock { state throws(IdentityError) in
            switch state {
            case .idle: nil
            case .pending(let request): request
            case .judging, .ended: throw Self.over
            }
        }
    }

    /// Takes the callback; a second one, and one before the login page was asked for, is refused.
    func handle(_ callbackURL: String) async -> Bool {
        let request = state.withLock { state -> AuthorizationRequest? in
            guard case .pending(let request) = state else { return nil }
            state = .judging
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

    /// Gives up; once the login has ended or its callback is there, this does nothing.
    func cancel() {
        let isOpen = end(.canceled) { state in
            switch state {
            case .idle, .pending: true
            case .judging, .ended: false
            }
        }
        if isOpen { presentation.withLock { $0 }?.cancel() }
    }

    func fail(_ error: any Error) {
        let error = IdentityError.wrapping(error)
        end(error.kind == .cancelled ? .canceled : .failed(error))
    }

    /// Reports the one result that there is.
    @discardableResult
    private func end(
        _ result: BoltLoginResult,
        if isOpen: (borrowing State) -> Bool = { state in
            if case .ended = state { false } else { true }
        }
    ) -> Bool {
        let isFirst = state.withLock { state in
            guard isOpen(state) else { return false }
            state = .ended
            return true
        }
        if isFirst { report(result) }
        return isFirst
    }

    static func notConfigured(_ what: String) -> IdentityError {
        IdentityError(
            .configuration,
            .configurationInvalid,
            "BoltCheckout has no \(what).",
            hint: "Call BoltCheckout.configure(provider:presenter:) before the first login."
        )
    }

    static var over: IdentityError {
        IdentityError(.rejected, .stateUnknown, "This login is over.", hint: "Start another one.")
    }
}
