/// Stops calls to a failing service for a while; then the result of one probe decides whether other calls are permitted again.
///
/// A value without clock and lock: its owner guards it, passes the time, and decides when it opens and for how long.
package struct CircuitBreaker: Sendable {
    /// Permission for one call.
    package struct Permit: Sendable {
        /// Whether the other callers wait for the outcome of this call.
        package let isProbe: Bool

        /// A call of a closed breaker.
        package static let ordinary = Permit(isProbe: false)
    }

    /// The effect of an outcome on the breaker.
    package enum Change: Sendable, Equatable {
        case opened(Duration)
        case closed
    }

    private var openUntil: Duration?
    private var isProbing = false
    /// How often it has opened since it was last closed.
    package private(set) var openings = 0
    /// The failure that its owner recorded last.
    package var lastFailure: IdentityError?

    /// A closed breaker.
    package init() {}

    /// Whether calls go through without a probe.
    package var isClosed: Bool { openUntil == nil }

    /// How long a refused caller should wait, at least 100 milliseconds; nil when the next call is permitted.
    package func wait(at now: Duration) -> Duration? {
        guard let openUntil, openUntil > now || isProbing else { return nil }
        return max(openUntil - now, .milliseconds(100))
    }

    /// Permits a call; nil while calls are refused.
    ///
    /// After the pause of an open breaker the first call is the probe.
    package mutating func permit(at now: Duration) -> Permit? {
        guard wait(at: now) == nil else { return nil }
        isProbing = !isClosed
        return Permit(isProbe: isProbing)
    }

    /// Ends a call with any outcome.
    package mutating func release(_ permit: Permit) {
        if permit.isProbe { isProbing = false }
    }

    /// Closes it, because the service responded; true if it was open.
    package mutating func close() -> Bool {
        defer { self = CircuitBreaker() }
        return !isClosed
    }

    /// Refuses calls for a while.
    package mutating func open(for pause: Duration, at now: Duration) {
        openings += 1
        openUntil = now + pause
    }

    /// Keeps an open breaker open for at least this long, without counting another opening.
    package mutating func extend(for pause: Duration, at now: Duration) {
        openUntil = openUntil.map { max($0, now + pause) }
    }

    /// Refuses all calls except the caller's next one, which is the probe.
    package mutating func openForProbe(after delay: Duration, at now: Duration) -> Permit {
        openUntil = now + delay
        isProbing = true
        return Permit(isProbe: true)
    }

    /// Whether no call was made for this time since the pause ended.
    package func isIdle(for time: Duration, at now: Duration) -> Bool {
        guard !isProbing, let openUntil else { return !isProbing }
        return openUntil + time <= now
    }
}
