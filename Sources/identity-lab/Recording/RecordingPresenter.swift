internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A presenter that records the redirect to the login page and the callback, with masked values.
struct RecordingPresenter<Inner: Presenter>: Presenter {
    let inner: Inner
    let recorder: Recorder

    func present(_ login: PresentedLogin) async throws -> String {
        try await recording { PresentedCallback(url: try await $0.present(login)) }.url
    }

    private func recording(
        _ show: (AnnouncingPresenter<Inner>) async throws -> PresentedCallback
    ) async throws -> PresentedCallback {
        let redirect = Mutex<RecordedRedirect?>(nil)
        let announcing = AnnouncingPresenter(inner: inner) { [recorder] url in
            let recorded = recorder.redirected(to: url)
            redirect.withLock { $0 = recorded }
        }
        let callback = try await show(announcing)
        recorder.returned(with: callback, from: redirect.withLock(\.self))
        return callback
    }
}

extension RecordingPresenter: FormPostPresenting where Inner: FormPostPresenting {
    func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        try await recording { try await $0.presentCatchingForms(login) }
    }
}

extension Presenter {
    /// Wraps the presenter in one that records; the result accepts form posts if this presenter does.
    func recorded(by recorder: Recorder) -> any Presenter {
        RecordingPresenter(inner: self, recorder: recorder)
    }
}
