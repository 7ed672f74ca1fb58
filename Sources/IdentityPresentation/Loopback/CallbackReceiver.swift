internal import IdentityHTTP
internal import IdentityKit
internal import IdentityLoopback
internal import Synchronization

/// Responds to browsers and returns the first callback that is awaited.
final class CallbackReceiver: Sendable {
    /// The callback to wait for.
    enum Awaited: Sendable {
        /// The callback with this login's `state`.
        case login(PresentedLogin, takesForms: Bool)
        /// The return from a provider's logout page, with any parameters. The session has already ended, so a forged return has no effect.
        case logout

        var takesForms: Bool {
            if case .login(_, takesForms: true) = self { true } else { false }
        }

        /// The member of the provider's configuration that names the address of the callback.
        var addressMember: String {
            if case .logout = self { "postLogoutRedirectURI" } else { "redirectURI" }
        }
    }

    private struct State {
        /// Set before the listener's port is published, so before the first callback.
        var port: UInt16?
        var callback: PresentedCallback?
        var isOver = false
        var waiter: CheckedContinuation<PresentedCallback, any Error>?
    }

    private let redirect: LoopbackRedirect
    private let awaited: Awaited
    private var takesForms: Bool { awaited.takesForms }
    private let state = Mutex(State())

    init(_ redirect: LoopbackRedirect, for awaited: Awaited) {
        self.redirect = redirect
        self.awaited = awaited
    }

    func listens(on port: UInt16) {
        state.withLock { $0.port = port }
    }

    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        guard let port = state.withLock(\.port), redirect.accepts(host: request.header("Host"), port: port),
            request.path.isIdentical(to: redirect.path)
        else { return CallbackPage.notFound }
        let isForm = takesForms && request.method.isIdentical(to: "POST")
        guard isForm || request.method.isIdentical(to: "GET") else {
            return CallbackPage.methodNotAllowed(takesForms: takesForms)
        }
        // Browsers send the purpose of a request. A request for an image or a frame is not the callback.
        if let destination = request.header("Sec-Fetch-Dest"), !destination.isIdentical(to: "document") {
            return CallbackPage.notFound
        }
        if isForm, !Self.isFormType(request.header("Content-Type")) { return CallbackPage.noForm }
        let callback = callback(in: request, isForm: isForm, at: redirect.text(listeningOn: port))
        guard case .login(let login, _) = awaited else {
            return take(callback) ? CallbackPage.signedOut : CallbackPage.alreadySignedOut
        }
        let names = (isForm ? request.formFields() : request.queryFields()).map(\.0)
        guard ["code", "error", "state"].contains(where: names.contains) else { return CallbackPage.noResponse }
        // The `state` is compared, because every web page and every program on this machine can send a request here.
        guard login.isAnswered(by: callback) else { return CallbackPage.notThisLogin }
        guard take(callback) else { return CallbackPage.alreadyAnswered }
        return names.contains("error") ? CallbackPage.refused : CallbackPage.received
    }

    /// Waits for the callback.
    func callback() async throws -> PresentedCallback {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled: Result<PresentedCallback, any Error>? = state.withLock { state in
                    if let callback = state.callback { return .success(callback) }
                    if state.isOver { return .failure(CancellationError()) }
                    state.waiter = continuation
                    return nil
                }
                if let settled { continuation.resume(with: settled) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.isOver = true
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Whether a content type is a form's, with any parameters.
    private static func isFormType(_ type: String?) -> Bool {
        let name = (type ?? "").utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }
        return name.map(ASCII.lowercased).elementsEqual("application/x-www-form-urlencoded".utf8)
    }

    private func callback(in request: LoopbackRequest, isForm: Bool, at redirectURI: String) -> PresentedCallback {
        // The redirect URI with the received query; the path was compared byte for byte above.
        let place = redirectURI.utf8.prefix { $0 != UInt8(ascii: "?") }
        return PresentedCallback(
            url: isForm ? String(Substring(place)) : "\(Substring(place))?\(request.query ?? "")",
            form: isForm ? request.body : nil
        )
    }

    private func take(_ callback: PresentedCallback) -> Bool {
        let (isFirst, waiter): (Bool, CheckedContinuation<PresentedCallback, any Error>?) = state.withLock { state in
            guard state.callback == nil, !state.isOver else { return (false, nil) }
            state.callback = callback
            defer { state.waiter = nil }
            return (true, state.waiter)
        }
        waiter?.resume(returning: callback)
        return isFirst
    }
}
