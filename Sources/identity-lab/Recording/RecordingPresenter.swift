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
        let provider = Mutex(Participant.service("Provider"))
        let redirected = Mutex<Duration?>(nil)
        let announcing = AnnouncingPresenter(inner: inner) { [recorder] url in
            let service = recorder.service(at: url)
            provider.withLock { $0 = service }
            let now = recorder.elapsed
            redirected.withLock { $0 = now }
            let fields = [RecordedPart(title: "Query", fields: Masking.form(Array((url.query ?? "").utf8)))]
            recorder.add(
                RecordedStep(
                    from: .app,
                    to: .browser,
                    title: "Redirect to the login page",
                    started: now,
                    duration: .zero
                )
            )
            recorder.add(
                RecordedStep(from: .browser, to: service, title: "GET \(url.path)", started: now, sent: fields)
            )
        }
        let callback = try await show(announcing)
        let now = recorder.elapsed
        let service = provider.withLock(\.self)
        let part =
            callback.form.map { RecordedPart(title: "Form", fields: Masking.form($0)) }
            ?? RecordedPart(title: "Query", fields: Masking.callback(callback.url))
        recorder.add(
            RecordedStep(
                from: service,
                to: .browser,
                title: "The buyer signs in",
                started: now,
                duration: redirected.withLock(\.self).map { now - $0 },
                outcome: callback.form == nil ? "302" : "200"
            )
        )
        recorder.add(
            RecordedStep(from: .browser, to: .app, title: "Callback", started: now, duration: .zero, sent: [part])
        )
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
