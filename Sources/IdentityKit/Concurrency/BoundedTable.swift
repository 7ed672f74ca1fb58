/// A dictionary with a maximum number of entries, for data that may be lost.
///
/// The insertion of a new key into a full table removes the expired entries, and then arbitrary entries until an eighth is free, so that
/// the next insertions need no removal.
package struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let maximum: Int
    private var entries: [Key: Value] = [:]

    package init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    package subscript(key: Key) -> Value? { entries[key] }

    package mutating func insert(_ value: Value, for key: Key, evicting isExpired: (Value) -> Bool = { _ in false }) {
        if entries.count >= maximum, entries[key] == nil {
            entries = entries.filter { !isExpired($0.value) }
            let surplus = entries.count - (maximum - max(1, maximum / 8))
            for key in Array(entries.keys.prefix(max(0, surplus))) { entries[key] = nil }
        }
        entries[key] = value
    }

    package mutating func remove(_ key: Key) {
        entries[key] = nil
    }
}

extension BoundedTable where Value == Void {
    mutating func insert(_ key: Key) -> Bool {
        guard self[key] == nil else { return false }
        insert((), for: key)
        return true
    }
}
