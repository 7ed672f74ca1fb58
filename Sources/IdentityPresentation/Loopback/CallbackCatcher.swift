internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Answers the browser and keeps the one callback that counts: the first.
final class CallbackCatcher: Sendable {
    private struct State {
        /// Set before the listener's port is known to anybody, hence before the first request that matters.
        var port: UInt16?
        var callback: String?
        var isOver = false
        var waiter: CheckedContinuation<String, any Error>?
    }

    private let redirect: LoopbackRedirect
    private let state = Mutex(State())

    init(_ redirect: LoopbackRedirect) {
        self.redirect = redirect
    }

    func listens(on port: UInt16) {
        state.withLock { $0.port = port }
    }

    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        guard let port = state.withLock(\.port), redirect.accepts(host: request.header("Host"), port: port),
            request.path.isIdentical(to: redirect.path)
        else { return CallbackPage.notFound }
        guard request.method.isIdentical(to: "GET") else { return CallbackPage.methodNotAllowed }
        // A browser says what it loads a page for. An image or a frame in somebody's page is no buyer coming back.
        if let destination = request.header("Sec-Fetch-Dest"), !destination.isIdentical(to: "document") {
            return CallbackPage.notFound
        }
        let names = request.queryFields().map(\.0)
        guard ["code", "error", "state"].contains(where: names.contains) else { return CallbackPage.noAnswer }
        guard take("\(redirect.text(listeningOn: port))", request) else { return CallbackPage.alreadyAnswered }
        return names.contains("error") ? CallbackPage.refused : CallbackPage.received
    }

    /// The callback URL, as soon as there is one.
    func callback() async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled: Result<String, any Error>? = state.withLock { state in
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

    private func take(_ redirectURI: String, _ request: LoopbackRequest) -> Bool {
        // The place is the redirect URI's, the query what came: the target was matched byte for byte above.
        let place = redirectURI.utf8.prefix { $0 != UInt8(ascii: "?") }
        let callback = "\(Substring(place))?\(request.query ?? "")"
        let (isFirst, waiter): (Bool, CheckedContinuation<String, any Error>?) = state.withLock { state in
            guard state.callback == nil, !state.isOver else { return (false, nil) }
            state.callback = callback
            defer { state.waiter = nil }
            return (true, state.waiter)
        }
        waiter?.resume(returning: callback)
        return isFirst
    }
}
