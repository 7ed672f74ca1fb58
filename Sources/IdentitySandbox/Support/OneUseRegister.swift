internal import FoundationEssentials

/// Ids of which each is good once, kept for as long as what carries them could be good at all.
struct OneUseRegister: Sendable {
    private var expiries: [String: Date] = [:]

    /// Notes an id; false when it came before.
    mutating func take(_ id: String, until expiry: Date, now: Date) -> Bool {
        expiries = expiries.filter { $0.value >= now }
        return expiries.updateValue(expiry, forKey: id) == nil
    }
}
