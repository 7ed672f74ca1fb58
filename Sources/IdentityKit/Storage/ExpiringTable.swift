internal import FoundationEssentials

/// A table in memory with a maximum number of values in each group, such as the pending logins of one tenant.
///
/// Because of the groups, a flood of logins at one tenant does not evict the logins of other tenants. Eviction does not search the whole
/// table, so that a flood costs little time (CVE-2021-22119).
struct ExpiringTable<Value: Sendable>: Sendable {
    private typealias Entries = [ByteKey: (value: Value, serial: Int, group: ByteKey)]

    private struct Place {
        let expiresAt: Date
        let serial: Int
        let key: ByteKey
    }

    /// The values of one group in the order of their expiry, then of their insertion.
    ///
    /// If a value is removed from the table, its place stays in `order` until `removeFirst` reaches the place or `compact` removes it.
    private struct Group {
        var order: [Place] = []
        var head = 0
        var count = 0

        var first: Place? { head < order.count ? order[head] : nil }

        mutating func insert(_ place: Place) {
            // Values usually have the same lifetime. The newest value then expires last, and the loop ends at once.
            var index = order.count
            while index > head, order[index - 1].expiresAt > place.expiresAt { index -= 1 }
            order.insert(place, at: index)
            count += 1
        }

        mutating func removeFirst(from entries: inout Entries) {
            guard let place = first else { return }
            head += 1
            guard entries[place.key]?.serial == place.serial else { return }
            entries[place.key] = nil
            count -= 1
        }

        mutating func compact(_ entries: Entries) {
            order = order[head...].filter { entries[$0.key]?.serial == $0.serial }
            head = 0
        }
    }

    private let maximum: Int
    private var entries: Entries = [:]
    private var groups: [ByteKey: Group] = [:]
    private var nextSerial = 0

    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    subscript(key: String) -> Value? { entries[ByteKey(key)]?.value }

    /// Adds or replaces a value; if its group is full, evicts the values of the group that expire first.
    mutating func insert(_ value: Value, for key: String, in group: String = "", until expiry: Date) {
        let place = Place(expiresAt: expiry, serial: nextSerial, key: ByteKey(key))
        _ = take(place.key)
        nextSerial += 1
        let name = ByteKey(group)
        var ours = groups.removeValue(forKey: name) ?? Group()
        while ours.count >= maximum, ours.first != nil { ours.removeFirst(from: &entries) }
        entries[place.key] = (value, place.serial, name)
        ours.insert(place)
        if ours.order.count > 2 * ours.count + 64 { ours.compact(entries) }
        groups[name] = ours
    }

    /// Adds a value to the group with the empty name, and evicts only expired values; returns false if the group stays full.
    mutating func insert(_ value: Value, for key: String, until expiry: Date, at now: Date) -> Bool {
        let name = ByteKey("")
        var ours = groups.removeValue(forKey: name) ?? Group()
        while ours.count >= maximum, let first = ours.first, first.expiresAt < now { ours.removeFirst(from: &entries) }
        let hasRoom = ours.count < maximum
        groups[name] = ours
        if hasRoom { insert(value, for: key, until: expiry) }
        return hasRoom
    }

    mutating func take(_ key: String) -> Value? { take(ByteKey(key)) }

    private mutating func take(_ key: ByteKey) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        groups[entry.group]?.count -= 1
        if groups[entry.group]?.count == 0 { groups[entry.group] = nil }
        return entry.value
    }

    mutating func sweep(expiredBefore date: Date) -> Int {
        let count = entries.count
        for name in Array(groups.keys) {
            guard var ours = groups.removeValue(forKey: name) else { continue }
            while let first = ours.first, first.expiresAt < date { ours.removeFirst(from: &entries) }
            ours.compact(entries)
            if ours.count > 0 { groups[name] = ours }
        }
        return count - entries.count
    }
}
