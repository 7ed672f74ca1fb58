/// A rate limit that permits `size` calls at once, and then one call per interval (token bucket).
package struct TokenBucket: Sendable {
    private let size: Int
    private let interval: Duration
    private var fullAt = Duration.zero

    package init(size: Int, interval: Duration) {
        self.size = size
        self.interval = interval
    }

    @discardableResult
    package mutating func take(at now: Duration) -> Bool {
        guard pause(at: now) == nil else { return false }
        fullAt = max(fullAt, now) + interval
        return true
    }

    /// Puts a token back, so that a call that failed does not count.
    package mutating func refund() {
        fullAt -= interval
    }

    /// The time until the bucket has a token again; nil if a token is available now.
    package func pause(at now: Duration) -> Duration? {
        let pause = max(fullAt, now) - now - interval * (size - 1)
        return pause > .zero ? pause : nil
    }

    package func isFull(at now: Duration) -> Bool { fullAt <= now }
}
