internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A presenter for `serve`: the browser that shows the page of `serve` also opens the login page, and the callback arrives at the
/// same server.
final class BrowserPresenter: FormPostPresenting {
    /// A stream with the address of the login page; it ends without an address if the login fails before the address is known.
    let pages: AsyncStream<HTTPURL>
    private let pageInput: AsyncStream<HTTPURL>.Continuation
    private let callbacks: AsyncStream<PresentedCallback>
    private let callbackInput: AsyncStream<PresentedCallback>.Continuation
    private let shown = Mutex<PresentedLogin?>(nil)

    init() {
        (pages, pageInput) = AsyncStream.makeStream()
        (callbacks, callbackInput) = AsyncStream.makeStream()
    }

    func present(_ login: PresentedLogin) async throws -> String {
        try await presentCatchingForms(login).url
    }

    func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        let page = try await login.authorizationURL(redirectURI: login.redirectURI)
        shown.withLock { $0 = login }
        pageInput.yield(page)
        pageInput.finish()
        for await callback in callbacks { return callback }
        throw CancellationError()
    }

    /// Passes a callback with the `state` of the shown login to this login; returns false for any other callback.
    func receive(_ callback: PresentedCallback) -> Bool {
        guard let login = shown.withLock(\.self), login.isAnswered(by: callback) else { return false }
        callbackInput.yield(callback)
        callbackInput.finish()
        shown.withLock { $0 = nil }
        return true
    }

    /// Ends the stream ``pages``; call this method when the login has ended, also if it ended with an error.
    func finish() {
        pageInput.finish()
    }
}
