/// When to ask whether the buyer has entered the code (RFC 8628 section 3.5): a pure function of the answers and the time.
struct DevicePollSchedule {
    /// However long a provider says that its code lives, nobody waits longer.
    private static let longestLifetime = Duration.seconds(86_400)
    private static let shortestInterval = Duration.seconds(1)
    private static let slowDownStep = Duration.seconds(5)
    /// Where doubling ends, unless the interval itself is longer: a provider that is back should be noticed.
    private static let longestBackoff = Duration.seconds(60)

    private let deadline: Duration
    private var interval: Duration
    /// What to wait instead of the interval, while the provider does not answer.
    private var backoff: Duration?

    /// A schedule for a code that was asked for at a moment of the clock that never jumps.
    init(_ authorization: DeviceAuthorization, askedAt start: Duration) {
        deadline = start + min(max(authorization.lifetime, .zero), Self.longestLifetime)
        interval = min(max(authorization.interval, Self.shortestInterval), Self.longestLifetime)
    }

    /// How long to wait before the next poll, never beyond the code's end; nil when the code has expired.
    func pause(at now: Duration) -> Duration? {
        now < deadline ? min(backoff ?? interval, deadline - now) : nil
    }

    /// The provider answered in time.
    mutating func answered(slowingDown: Bool = false) {
        if slowingDown { interval += Self.slowDownStep }
        backoff = nil
    }

    /// The provider did not answer: the pause doubles each time, and is at least what the provider asks for.
    mutating func unanswered(retryAfter: Duration?) {
        let doubled = max(min((backoff ?? interval) * 2, Self.longestBackoff), interval)
        backoff = max(doubled, min(retryAfter ?? .zero, Self.longestLifetime))
    }
}
