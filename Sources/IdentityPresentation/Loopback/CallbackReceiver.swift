internal import IdentityHTTP
internal import IdentityKit
internal import IdentityLoopback
internal import Synchronization

/// Answers the requests to the loopback port, and returns the first request that is the awaited callback.
final class CallbackReceiver: Sendable {
    enum Awaited: Sendable {
        /// The callback with this login's `state`.
        case login(PresentedLogin, takesForms: Bool)
        /// The browser's return from a provider's logout page, with any parameters.
        ///
        /// Any program on this machine can forge this return. A forged return only ends the wait: the app's session has already ended.
        case logout

        var takesForms: Bool {
            if case .login(_, takesForms: true) = self { true } else { false }
        }

        var addressMember: String {
            if case .logout = self { "postLogoutRedirectURI" } else { "redirectURI" }
        }
    }

    private struct State {
        /// The listener's port; until the port is set, the provider does not have the redirect URI, and every request gets status 404.
        var port: UInt16?
        var isTaken = false
    }

    private let redirect: LoopbackRedirect
    private let awaited: Awaited
    private let state = Mutex(State())
    /// A stream with the callback; it ends without a callback when the waiting task is cancelled.
    private let callbacks: AsyncStream<PresentedCallback>
    private let input: AsyncStream<PresentedCallback>.Continuation

    init(_ redirect: LoopbackRedirect, for awaited: Awaited) {
        self.redirect = redirect
        self.awaited = awaited
        (callbacks, input) = AsyncStream.makeStream()
    }

    func listens(on port: UInt16) {
        state.withLock { $0.port = port }
    }

    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        guard let port = state.withLock(\.port), redirect.accepts(host: request.header("Host"), port: port),
            request.path.isIdentical(to: redirect.path)
        else { return CallbackPage.notFound }
        let isForm = awaited.takesForms && request.method.isIdentical(to: "POST")
        guard isForm || request.method.isIdentical(to: "GET") else {
            return CallbackPage.methodNotAllowed(takesForms: awaited.takesForms)
        }
        // This header states what the browser loads. A request for an image or a frame is not the callback.
        if let destination = request.header("Sec-Fetch-Dest"), !destination.isIdentical(to: "document") {
            return CallbackPage.notFound
        }
        if isForm, !MediaType.form.matches(request.header("Content-Type")) { return CallbackPage.noForm }
        let callback = callback(in: request, isForm: isForm, at: redirect.text(listeningOn: port))
        guard case .login(let login, _) = awaited else {
            return take(callback) ? CallbackPage.signedOut : CallbackPage.alreadySignedOut
        }
        let names = (isForm ? request.formFields() : request.queryFields()).map(\.0)
        guard ["code", "error", "state"].contains(where: names.contains) else { return CallbackPage.noResponse }
        // The `state` must be this login's, because any web page and any program on this machine can send a request to this port.
        guard login.isAnswered(by: callback) else { return CallbackPage.notThisLogin }
        guard take(callback) else { return CallbackPage.alreadyAnswered }
        return names.contains("error") ? CallbackPage.refused : CallbackPage.received
    }

    func callback() async throws -> PresentedCallback {
        for await callback in callbacks { return callback }
        throw CancellationError()
    }

    private func callback(in request: LoopbackRequest, isForm: Bool, at redirectURI: String) -> PresentedCallback {
        // `answer(_:)` has already compared the path, so the callback's URL is the redirect URI with the query of the request.
        let place = redirectURI.utf8.prefix { $0 != UInt8(ascii: "?") }
        return PresentedCallback(
            url: "\(Substring(place))" + (isForm ? "" : "?\(request.query ?? "")"),
            form: isForm ? request.body : nil
        )
    }

    /// Passes the callback to ``callback()``; returns false after an earlier callback, or if the wait was cancelled.
    private func take(_ callback: PresentedCallback) -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard isFirst, case .enqueued = input.yield(callback) else { return false }
        return true
    }
}
