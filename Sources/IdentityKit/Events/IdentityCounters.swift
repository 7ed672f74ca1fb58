internal import Synchronization

/// Counts events, for a metrics page or for tests; pass one instance as an observer to ``SessionManager`` and ``IdentityEnvironment``.
public final class IdentityCounters: IdentityObserver {
    /// One kind of event at one provider.
    public struct Key: Sendable, Hashable {
        /// The ``IdentityEvent/Kind/name`` of the events.
        public var name: String
        /// The ``IdentityEvent/Kind/detail`` of the events; empty if they have none.
        public var detail: String
        /// The ``IdentityEvent/provider`` of the events.
        public var provider: String
        /// The ``IdentityEvent/isAttackSuspected`` of the events.
        public var isAttackSuspected: Bool

        /// Creates a key.
        public init(name: String, detail: String = "", provider: String = "", isAttackSuspected: Bool = false) {
            self.name = name
            self.detail = detail
            self.provider = provider
            self.isAttackSuspected = isAttackSuspected
        }
    }

    /// How often an event happened, and how long its operations took.
    public struct Value: Sendable, Hashable {
        /// The number of events.
        public var count = 0
        /// The sum of all durations.
        public var duration = Duration.zero
        /// The longest duration.
        public var longest = Duration.zero
    }

    private let values = Mutex<[Key: Value]>([:])

    /// Creates counters at zero.
    public init() {}

    /// A copy of all counters.
    public var snapshot: [Key: Value] { values.withLock(\.self) }

    /// The number of events with a name, summed over all details and providers.
    public func count(_ name: String) -> Int {
        values.withLock { $0.reduce(0) { $1.key.name == name ? $0 + $1.value.count : $0 } }
    }

    /// Counts an event.
    public func identityEvent(_ event: IdentityEvent) {
        let key = Key(
            name: event.kind.name,
            detail: event.kind.detail ?? "",
            provider: event.provider,
            isAttackSuspected: event.isAttackSuspected
        )
        values.withLock { values in
            var value = values[key] ?? Value()
            value.count += 1
            value.duration += event.duration
            value.longest = max(value.longest, event.duration)
            values[key] = value
        }
    }
}
