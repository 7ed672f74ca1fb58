/// A rate limit: a burst of `size`, then one per interval (token bucket).
struct TokenBucket: Sendable {
    let size: Int
    let interval: Duration
    /// When the bucket is full again.
    private(set) var fullAt = Duration.zero

    /// Takes one token; false if the bucket is empty.
    mutating func take(at now: Duration) -> Bool {
        let refilling = max(fullAt, now)
        guard refilling - now <= interval * (size - 1) else { return false }
        fullAt = refilling + interval
        return true
    }

    /// Puts a token back after a failed fetch, so that the fetch does not count.
    mutating func refund() {
        fullAt -= interval
    }
}
