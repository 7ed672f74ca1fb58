internal import Synchronization

/// Counts what happens, for a metrics page or for tests; pass it to a manager's and an environment's observers.
public final class IdentityCounters: IdentityObserver {
    /// What is counted: one kind of event at one provider.
    public struct Key: Sendable, Hashable {
        /// ``IdentityEvent/Kind/name``.
        public var name: String
        /// ``IdentityEvent/Kind/detail``, empty where there is none.
        public var detail: String
        /// The provider's name, empty where an event belongs to none.
        public var provider: String

        /// Creates a key.
        public init(name: String, detail: String = "", provider: String = "") {
            self.name = name
            self.detail = detail
            self.provider = provider
        }
    }

    /// How often something happened, and how long it took.
    public struct Value: Sendable, Hashable {
        /// How often.
        public var count = 0
        /// All durations added up.
        public var duration = Duration.zero
        /// The longest duration.
        public var longest = Duration.zero
    }

    private let values = Mutex<[Key: Value]>([:])

    /// Counters at zero.
    public init() {}

    /// Everything counted so far.
    public var snapshot: [Key: Value] { values.withLock(\.self) }

    /// How often a kind of event happened, whatever its detail and provider.
    public func count(_ name: String) -> Int {
        values.withLock { $0.reduce(0) { $1.key.name == name ? $0 + $1.value.count : $0 } }
    }

    /// Counts an event.
    public func identityEvent(_ event: IdentityEvent) {
        let key = Key(name: event.kind.name, detail: event.kind.detail ?? "", provider: event.provider)
        values.withLock { values in
            var value = values[key] ?? Value()
            value.count += 1
            value.duration += event.duration
            value.longest = max(value.longest, event.duration)
            values[key] = value
        }
    }
}
