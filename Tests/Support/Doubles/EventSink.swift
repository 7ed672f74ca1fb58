package import IdentityKit
internal import Synchronization

/// Collects the events in order.
package final class EventSink: IdentityObserver {
    private let events = Mutex<[IdentityEvent]>([])

    package init() {}

    package var all: [IdentityEvent] { events.withLock { $0 } }
    package var kinds: [IdentityEvent.Kind] { all.map(\.kind) }
    package var attacks: [IdentityEvent.Kind] { all.filter(\.isAttackSuspected).map(\.kind) }
    package var sessions: [SessionReference] { all.compactMap(\.session) }

    /// Each event as `name`, or `name detail`.
    package var names: [String] {
        kinds.map { [$0.name, $0.detail].compactMap(\.self).joined(separator: " ") }
    }

    package var providers: Set<String> { Set(all.map(\.provider)) }

    package func identityEvent(_ event: IdentityEvent) {
        events.withLock { $0.append(event) }
    }
}
