internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

struct RecordingPresenter: FormPostPresenting {
    let inner: any FormPostPresenting
    let recorder: Recorder

    func present(_ login: PresentedLogin) async throws -> String {
        try await recording(login) { PresentedCallback(url: try await inner.present($0)) }.url
    }

    func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        try await recording(login) { try await inner.presentCatchingForms($0) }
    }

    private func recording(
        _ login: PresentedLogin,
        _ show: (PresentedLogin) async throws -> PresentedCallback
    ) async throws -> PresentedCallback {
        let redirect = Mutex<RecordedRedirect?>(nil)
        let announcing = login.announcing { [recorder] url in
            let recorded = recorder.redirected(to: url)
            redirect.withLock { $0 = recorded }
        }
        let callback = try await show(announcing)
        recorder.returned(with: callback, from: redirect.withLock(\.self))
        return callback
    }
}
