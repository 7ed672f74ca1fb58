internal import FoundationEssentials

/// Token ids (`jti`) that were used; each is kept as long as its token would be accepted, so that a second use is detected.
struct UsedIDs: Sendable {
    private var expiries: [String: Date] = [:]

    /// Saves an id; returns false if it was used before.
    mutating func take(_ id: String, until expiry: Date, now: Date) -> Bool {
        expiries = expiries.filter { $0.value >= now }
        return expiries.updateValue(expiry, forKey: id) == nil
    }
}
