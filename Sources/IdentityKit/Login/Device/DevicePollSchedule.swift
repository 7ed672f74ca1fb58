/// Decides when the next poll of a device login is sent (RFC 8628 section 3.5), from the earlier responses and the time.
struct DevicePollSchedule {
    /// The longest time to wait for the buyer, even if the provider says that the code is valid for longer.
    private static let longestLifetime = Duration.seconds(86_400)
    private static let shortestInterval = Duration.seconds(1)
    private static let slowDownStep = Duration.seconds(5)
    /// The longest pause that this schedule chooses after failed polls; a longer interval or `Retry-After` is used instead.
    private static let longestBackoff = Duration.seconds(60)

    private let deadline: Duration
    private var interval: Duration
    /// The pause that replaces the interval while polls fail.
    private var backoff: Duration?
    /// When the full pause after the last poll ends.
    private var nextPermitted = Duration.zero

    /// `start` is the monotonic time at which the code was requested.
    init(_ authorization: DeviceAuthorization, startedAt start: Duration) {
        deadline = start + min(max(authorization.lifetime, .zero), Self.longestLifetime)
        interval = min(max(authorization.interval, Self.shortestInterval), Self.longestLifetime)
    }

    /// How long to wait before the next poll, at most until the code expires; nil when the code has expired.
    func pause(at now: Duration) -> Duration? {
        now < deadline ? min(backoff ?? interval, deadline - now) : nil
    }

    /// Whether a poll may be sent now, after ``pause(at:)``.
    ///
    /// The expiry of the code can shorten the pause. The last poll is then permitted only if the full pause has passed.
    func permitsPoll(at now: Duration) -> Bool {
        now < deadline || now >= nextPermitted
    }

    mutating func answered(slowingDown: Bool = false, at now: Duration) {
        if slowingDown { interval += Self.slowDownStep }
        backoff = nil
        nextPermitted = now + interval
    }

    /// Records a failed poll: the pause doubles, up to a minute, and is at least the interval and `Retry-After`.
    mutating func unanswered(retryAfter: Duration?, at now: Duration) {
        let doubled = max(min((backoff ?? interval) * 2, Self.longestBackoff), interval)
        let pause = max(doubled, min(retryAfter ?? .zero, Self.longestLifetime))
        backoff = pause
        nextPermitted = now + pause
    }
}
