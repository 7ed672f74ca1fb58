import IdentityBolt
import IdentityHTTP
import IdentityKit
import Synchronization
import TestDoubles

/// Responds to each login page with a callback that a test creates from the state.
struct ScriptedPresenter: Presenter {
    let callback: @Sendable (_ state: String) async throws -> String

    func present(_ login: PresentedLogin) async throws -> String {
        let url = try await login.authorizationURL(redirectURI: login.redirectURI)
        return try await callback(state(of: url))
    }

    static let good = ScriptedPresenter { "https://app.example/cb?code=C0DE&state=\($0)" }
}

func state(of url: HTTPURL) -> String {
    FormEncoding.decode(Array((url.query ?? "").utf8))?.first { $0.name == "state" }?.value ?? ""
}

extension BoltLoginResult {
    var failure: IdentityError? {
        if case .failed(let error) = self { error } else { nil }
    }
}

extension CartClaim {
    /// The contact of a claim for a guest's cart.
    var contact: BuyerContact? {
        if case .contact(let contact) = self { contact } else { nil }
    }
}

/// Records the calls of `onLoginSuccess`, `onLoginError` and `onLoginCancel`.
final class RecordingDelegate: BoltLoginDelegate {
    private let state = Mutex<[String]>([])

    var told: [String] { state.withLock { $0 } }

    func onLoginSuccess(authCode: String, codeVerifier: String, state: String) {
        self.state.withLock { $0.append("success \(authCode) \(codeVerifier.utf8.count) \(state)") }
    }

    func onLoginError(errorReason: String) {
        state.withLock { $0.append("error \(errorReason)") }
    }

    func onLoginCancel() {
        state.withLock { $0.append("cancel") }
    }
}

/// A provider that checks a callback only after a test permits it.
struct WaitingBolt: WrappingProvider, BoltAuthorizing {
    let inner: BoltProvider
    let check = StoppingPoint()
    var beforePage: @Sendable () async throws -> Void = {}

    func authorizationRequest(_ options: LoginOptions, usePkce: Bool) async throws -> AuthorizationRequest {
        try await beforePage()
        return try await inner.authorizationRequest(options, usePkce: usePkce)
    }

    func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret {
        await check.pass()
        return try await inner.authorizationCode(in: callback, for: attempt)
    }

    func exchange(_ result: BoltLoginResult) async throws -> TokenSet { try await inner.exchange(result) }
}
