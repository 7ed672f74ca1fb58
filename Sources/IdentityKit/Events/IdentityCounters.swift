internal import Synchronization

/// Counts events, for a metrics page or for tests; pass it as an observer of a session manager and an environment.
public final class IdentityCounters: IdentityObserver {
    /// One kind of event at one provider.
    public struct Key: Sendable, Hashable {
        /// ``IdentityEvent/Kind/name``.
        public var name: String
        /// ``IdentityEvent/Kind/detail``; empty if the event has none.
        public var detail: String
        /// The provider's name; empty if the event belongs to no provider.
        public var provider: String
        /// ``IdentityEvent/isAttackSuspected``.
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

    /// Counters at zero.
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
