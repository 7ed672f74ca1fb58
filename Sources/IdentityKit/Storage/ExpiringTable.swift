internal import FoundationEssentials

/// What a store in memory keeps for a while: bounded, found by the bytes of a key, what expires first let go.
///
/// A flood, of logins that nobody finishes for example, must cost no more than what is kept, so making room does not look
/// through all (CVE-2021-22119).
struct ExpiringTable<Value: Sendable>: Sendable {
    private struct Place {
        let expiresAt: Date
        let serial: Int
        let key: [UInt8]
    }

    private let maximum: Int
    // By bytes: two keys that are canonically equivalent are two.
    private var entries: [[UInt8]: (value: Value, serial: Int)] = [:]
    // In the order of expiry, then of arrival; the place of what was taken stays until its turn comes.
    private var order: [Place] = []
    private var head = 0
    private var nextSerial = 0

    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    func contains(_ key: String) -> Bool {
        entries[Array(key.utf8)] != nil
    }

    mutating func insert(_ value: Value, for key: String, until expiry: Date) {
        while entries.count >= maximum, head < order.count { removeFirst() }
        nextSerial += 1
        let place = Place(expiresAt: expiry, serial: nextSerial, key: Array(key.utf8))
        entries[place.key] = (value, nextSerial)
        // What is kept lives about equally long, so the newest nearly always expires last.
        var index = order.count
        while index > head, order[index - 1].expiresAt > expiry { index -= 1 }
        order.insert(place, at: index)
        if order.count > 2 * entries.count + 64 { compact() }
    }

    /// Adds without letting go of what has not expired.
    ///
    /// - Returns: False when there is no room.
    mutating func insert(_ value: Value, for key: String, until expiry: Date, at now: Date) -> Bool {
        while entries.count >= maximum, head < order.count, order[head].expiresAt < now { removeFirst() }
        guard entries.count < maximum else { return false }
        insert(value, for: key, until: expiry)
        return true
    }

    mutating func take(_ key: String) -> Value? {
        entries.removeValue(forKey: Array(key.utf8))?.value
    }

    /// Removes what expired before a date; says how much it was.
    mutating func sweep(expiredBefore date: Date) -> Int {
        let count = entries.count
        while head < order.count, order[head].expiresAt < date { removeFirst() }
        compact()
        return count - entries.count
    }

    private mutating func removeFirst() {
        let place = order[head]
        head += 1
        if isCurrent(place) { entries[place.key] = nil }
    }

    private func isCurrent(_ place: Place) -> Bool {
        entries[place.key]?.serial == place.serial
    }

    private mutating func compact() {
        order = order[head...].filter(isCurrent)
        head = 0
    }
}
