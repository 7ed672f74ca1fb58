internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A participant of a login: a column of the sequence diagram.
enum Participant: Hashable, Sendable {
    case browser
    case app
    case store
    case service(String)

    var title: String {
        switch self {
        case .browser: "Browser"
        case .app: "App"
        case .store: "Store"
        case .service(let name): name
        }
    }
}

/// One arrow of a sequence diagram; its values are already masked.
struct RecordedStep: Sendable {
    var from: Participant
    var to: Participant
    var title: String
    /// When the step began, counted from the start of the recording.
    var started: Duration
    var duration: Duration?
    var sent: [RecordedPart] = []
    var received: [RecordedPart] = []
    /// The result, for example an HTTP status or an error code.
    var outcome: String?
    var isFailure = false
    var phase = ""
}

/// A part of a message: query, headers or body.
struct RecordedPart: Sendable {
    var title: String
    var fields: [RecordedField]
}

/// A name with its value; a nil value is masked.
struct RecordedField: Sendable {
    static let mask = "•••"

    var name: String
    var value: String?
    /// The nesting depth in a JSON body.
    var depth = 0
}

/// Collects the last steps of one ``ApproachRun``, or of the requests of other programs to `serve`.
final class Recorder: Sendable {
    private struct State {
        var phase = ""
        var steps: [RecordedStep] = []
        var count = 0
    }

    /// The number of steps is limited, because `serve` runs until it is interrupted.
    private static let maximumSteps = 1_000
    private let start: Duration
    private let clock = SystemClock()
    private let state = Mutex(State())
    private let nameOfService: @Sendable (HTTPURL) -> String

    init(nameOfService: @escaping @Sendable (HTTPURL) -> String) {
        self.nameOfService = nameOfService
        start = clock.elapsed
    }

    var elapsed: Duration { clock.elapsed - start }

    func begin(_ phase: String) {
        state.withLock { $0.phase = phase }
    }

    func add(_ step: RecordedStep) {
        state.withLock { state in
            var step = step
            step.phase = state.phase
            state.steps.append(step)
            state.count += 1
            if state.steps.count > Self.maximumSteps { state.steps.removeFirst() }
        }
    }

    func service(at url: HTTPURL) -> Participant {
        .service(nameOfService(url))
    }

    /// The number of all steps since the start, including the steps that ``add(_:)`` has removed.
    var count: Int { state.withLock(\.count) }

    var recorded: [RecordedStep] {
        state.withLock(\.steps).sorted { $0.started < $1.started }
    }
}

struct RecordedRedirect: Sendable {
    let service: Participant
    let time: Duration
}

extension Recorder {
    func redirected(to url: HTTPURL) -> RecordedRedirect {
        let redirect = RecordedRedirect(service: service(at: url), time: elapsed)
        add(
            RecordedStep(
                from: .app,
                to: .browser,
                title: "Redirect to the login page",
                started: redirect.time,
                duration: .zero
            )
        )
        let query = RecordedPart(title: "Query", fields: Masking.form(Array((url.query ?? "").utf8)))
        add(
            RecordedStep(
                from: .browser,
                to: redirect.service,
                title: "GET \(url.path)",
                started: redirect.time,
                sent: [query]
            )
        )
        return redirect
    }

    func returned(with callback: PresentedCallback, from redirect: RecordedRedirect?) {
        let now = elapsed
        let part =
            callback.form.map { RecordedPart(title: "Form", fields: Masking.form($0)) }
            ?? RecordedPart(title: "Query", fields: Masking.callback(callback.url))
        add(
            RecordedStep(
                from: redirect?.service ?? .service("Provider"),
                to: .browser,
                title: "The buyer signs in",
                started: now,
                duration: redirect.map { now - $0.time },
                outcome: callback.form == nil ? "302" : "200"
            )
        )
        add(RecordedStep(from: .browser, to: .app, title: "Callback", started: now, duration: .zero, sent: [part]))
    }
}
