internal import FoundationEssentials

/// The ids (`jti`) of received JWTs, each kept as long as its JWT is valid, so that the provider refuses a second use.
struct UsedIDs: Sendable {
    private var expiries: [String: Date] = [:]

    /// Saves an id; returns false if it was used before.
    mutating func take(_ id: String, until expiry: Date, now: Date) -> Bool {
        expiries = expiries.filter { $0.value >= now }
        return expiries.updateValue(expiry, forKey: id) == nil
    }
}
