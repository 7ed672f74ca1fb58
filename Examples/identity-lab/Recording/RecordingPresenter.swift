internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A presenter that writes down, masked, the two redirects between which the buyer signs in.
struct RecordingPresenter: Presenter {
    let inner: any Presenter
    let recorder: Recorder

    func present(_ login: PresentedLogin) async throws -> String {
        let provider = Mutex(Party.service("Provider"))
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
        let callback = try await announcing.present(login)
        let now = recorder.elapsed
        let service = provider.withLock(\.self)
        let parts = [RecordedPart(title: "Query", fields: Masking.callback(callback))]
        recorder.add(
            RecordedStep(
                from: service,
                to: .browser,
                title: "The buyer signs in",
                started: now,
                duration: redirected.withLock(\.self).map { now - $0 },
                outcome: "302"
            )
        )
        recorder.add(
            RecordedStep(from: .browser, to: .app, title: "Callback", started: now, duration: .zero, sent: parts)
        )
        return callback
    }
}
