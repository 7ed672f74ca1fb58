/// So many at once, one more each interval; costs one number however many ask.
struct TokenBucket: Sendable {
    private let size: Int
    private let interval: Duration
    /// When the bucket will be full again.
    private var fullAt = Duration.zero

    init(size: Int, interval: Duration) {
        self.size = size
        self.interval = interval
    }

    /// Takes one out, if there is one.
    mutating func take(at now: Duration) -> Bool {
        let refilling = max(fullAt, now)
        guard refilling - now <= interval * (size - 1) else { return false }
        fullAt = refilling + interval
        return true
    }

    /// Puts one back that was taken and not used.
    mutating func giveBack() {
        fullAt -= interval
    }
}
