import IdentityKit
import Synchronization

/// Collects the events of a session manager in order.
final class EventSink: IdentityObserver {
    private let events = Mutex<[IdentityEvent]>([])
    var all: [IdentityEvent] { events.withLock { $0 } }

    /// Each event as `name`, or `name detail`.
    var names: [String] {
        events.withLock { $0.map { [$0.kind.name, $0.kind.detail].compactMap(\.self).joined(separator: " ") } }
    }

    /// The provider names of the events.
    var providers: Set<String> { events.withLock { Set($0.map(\.provider)) } }

    func identityEvent(_ event: IdentityEvent) {
        events.withLock { $0.append(event) }
    }
}
