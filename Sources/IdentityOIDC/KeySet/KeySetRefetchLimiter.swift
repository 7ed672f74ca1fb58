internal import IdentityKit

/// Limits the fetches that tokens of one origin cause because the known keys do not verify them.
struct KeySetRefetchLimiter {
    /// How long a `kid` that the fetched keys lack causes no other fetch.
    static let window = Duration.seconds(60)
    static let capacity = 64

    /// A flood of tokens with invented key ids causes few fetches: a burst of two, then one per minute.
    private var bucket = TokenBucket(size: 2, interval: .seconds(60))
    private var isRefusing = false
    /// The revision of the keys that lack the key ids in ``unknown``.
    private var revision: Int?
    /// The digests of the key ids that were not found, the oldest first.
    private var unknown: [(digest: [UInt8], until: Duration)] = []

    /// Whether a fetch is permitted, and whether it is the first one that is refused after a permitted fetch.
    mutating func take(at now: Duration) -> (isPermitted: Bool, isFirstRefusal: Bool) {
        let isPermitted = bucket.take(at: now)
        defer { isRefusing = !isPermitted }
        return (isPermitted, !isPermitted && !isRefusing)
    }

    /// Removes a failed fetch from the count, because an outage could otherwise use up the fetches that the next key rotation needs.
    mutating func refund() { bucket.refund() }

    func isUnknown(_ digest: [UInt8], in revision: Int, at now: Duration) -> Bool {
        self.revision == revision && unknown.contains { $0.until > now && $0.digest == digest }
    }

    mutating func remember(_ digest: [UInt8], in revision: Int, at now: Duration) {
        if self.revision != revision { (self.revision, unknown) = (revision, []) }
        unknown.removeAll { $0.until <= now || $0.digest == digest }
        if unknown.count >= Self.capacity { unknown.removeFirst() }
        unknown.append((digest, now + Self.window))
    }
}
