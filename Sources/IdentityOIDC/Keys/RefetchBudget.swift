/// A small token bucket for forced refetches of a key set: two at once, one more a minute.
///
/// It lets a key rotation just before signing through, while a flood of made-up key ids costs no more than the bucket.
struct RefetchBudget: Sendable {
    private var tokens = 2.0
    private var updatedAt: Duration?

    /// Takes one refetch out, if there is one.
    mutating func take(at now: Duration) -> Bool {
        if let updatedAt {
            let (seconds, attoseconds) = (now - updatedAt).components
            tokens = min(2, tokens + max(0, Double(seconds) + Double(attoseconds) * 1e-18) / 60)
        }
        updatedAt = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
