internal import IdentityKit
internal import Synchronization

/// The three ways to call `LoginFlow`: `async`, a completion handler and a delegate.
enum LoginEntryPoint: String, CaseIterable, Sendable {
    case async
    case completion
    case delegate

    var title: String { self == .completion ? "completion handler" : rawValue }

    func login(_ flow: LoginFlow, _ options: LoginOptions = LoginOptions()) async throws -> Session {
        switch self {
        case .async:
            return try await flow.login(options)
        case .completion:
            return try await bridged { finish in flow.login(options) { finish($0) } }
        case .delegate:
            // `LoginFlow` holds its delegate weakly, so `kept` keeps the delegate alive until it is called.
            let kept = Mutex<DelegateBridge?>(nil)
            return try await bridged { finish in
                let delegate = DelegateBridge(finish)
                kept.withLock { $0 = delegate }
                return flow.login(options, delegate: delegate)
            }
        }
    }

    private func bridged(
        _ start: (@escaping @Sendable (Result<Session, IdentityError>) -> Void) -> LoginHandle
    ) async throws -> Session {
        let started = Mutex<LoginHandle?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let handle = start { continuation.resume(with: $0) }
                started.withLock { $0 = handle }
                if Task.isCancelled { handle.cancel() }
            }
        } onCancel: {
            started.withLock(\.self)?.cancel()
        }
    }
}

extension LoginEntryPoint? {
    /// The name of the entry point; nil means the routes of `IdentityWeb`.
    var name: String { self?.rawValue ?? "routes" }
}

private final class DelegateBridge: LoginDelegate {
    private let finish: @Sendable (Result<Session, IdentityError>) -> Void

    init(_ finish: @escaping @Sendable (Result<Session, IdentityError>) -> Void) {
        self.finish = finish
    }

    func loginDidComplete(_ session: Session) {
        finish(.success(session))
    }

    func loginDidFail(_ error: IdentityError) {
        finish(.failure(error))
    }

    func loginDidCancel() {
        finish(
            .failure(
                IdentityError(.cancelled, .cancelled, "The login was cancelled.", hint: "Start the login again.")
            )
        )
    }
}
