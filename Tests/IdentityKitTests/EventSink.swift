import IdentityKit
import Synchronization

/// Collects the events of a session manager in order.
final class EventSink: IdentityObserver {
    private let events = Mutex<[IdentityEvent]>([])
    var all: [IdentityEvent] { events.withLock { $0 } }
    var kinds: [IdentityEvent.Kind] { all.map(\.kind) }
    /// The events in which an attack is suspected.
    var attacks: [IdentityEvent.Kind] { all.filter(\.isAttackSuspected).map(\.kind) }
    /// The sessions of the events.
    var sessions: [SessionReference] { all.compactMap(\.session) }

    /// Each event as `name`, or `name detail`.
    var names: [String] {
        kinds.map { [$0.name, $0.detail].compactMap(\.self).joined(separator: " ") }
    }

    /// The provider names of the events.
    var providers: Set<String> { Set(all.map(\.provider)) }

    func identityEvent(_ event: IdentityEvent) {
        events.withLock { $0.append(event) }
    }
}
