internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Who takes part in a login, as the columns of a sequence diagram.
enum Party: Hashable, Sendable {
    case browser
    case app
    case store
    /// A service, by the name that people know it by.
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

/// One arrow of a sequence diagram; values are masked before they get here.
struct RecordedStep: Sendable {
    var from: Party
    var to: Party
    var title: String
    /// When it began, counted from the recording's start.
    var started: Duration
    /// How long it took, nil where that depends on a person.
    var duration: Duration?
    var sent: [RecordedPart] = []
    var received: [RecordedPart] = []
    /// What came of it, in a word or two.
    var outcome: String?
    var isFailure = false
    /// The part of the walk that it belongs to.
    var phase = ""
}

/// A part of a message: query, headers, body.
struct RecordedPart: Sendable {
    var title: String
    var fields: [RecordedField]
}

/// A name with its value, nil where the value is masked.
struct RecordedField: Sendable {
    /// What stands in the place of every value that is not on the list.
    static let mask = "•••"

    var name: String
    var value: String?
    /// How deep it is nested in a JSON body.
    var depth = 0
}

/// Collects the steps of one approach.
final class Recorder: Sendable {
    private let start: Duration
    private let clock: any IdentityClock
    private let state = Mutex<(phase: String, steps: [RecordedStep])>(("", []))
    private let nameOfService: @Sendable (HTTPURL) -> String

    init(clock: any IdentityClock = SystemClock(), nameOfService: @escaping @Sendable (HTTPURL) -> String) {
        self.clock = clock
        self.nameOfService = nameOfService
        start = clock.elapsed
    }

    var elapsed: Duration { clock.elapsed - start }

    /// Begins a part of the walk.
    func begin(_ phase: String) {
        state.withLock { $0.phase = phase }
    }

    func add(_ step: RecordedStep) {
        state.withLock { state in
            var step = step
            step.phase = state.phase
            state.steps.append(step)
        }
    }

    func service(at url: HTTPURL) -> Party {
        .service(nameOfService(url))
    }

    /// The steps by the time they began.
    var recorded: [RecordedStep] {
        state.withLock(\.steps).sorted { $0.started < $1.started }
    }
}
