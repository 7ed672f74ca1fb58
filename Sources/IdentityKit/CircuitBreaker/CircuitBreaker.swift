/// Refuses calls to a failing service for a while, and then permits one call, the *probe*, which shows whether the service works again.
///
/// The type has no clock and no lock. Its owner synchronizes access, passes the current time, and decides when the breaker opens or closes.
package struct CircuitBreaker: Sendable {
    package struct Permit: Sendable {
        /// Whether this call is the probe: other calls are refused until the probe ends.
        package let isProbe: Bool

        package static let ordinary = Permit(isProbe: false)
    }

    private var openUntil: Duration?
    private var isProbing = false
    /// How often ``open(for:at:)`` was called since the last call of ``close()``.
    package private(set) var openings = 0
    package var lastFailure: IdentityError?

    package init() {}

    package var isClosed: Bool { openUntil == nil }

    /// How long a refused caller should wait, at least 100 milliseconds; nil if a call is permitted now.
    package func wait(at now: Duration) -> Duration? {
        guard let openUntil, openUntil > now || isProbing else { return nil }
        return max(openUntil - now, .milliseconds(100))
    }

    /// Permits a call; nil while calls are refused.
    ///
    /// Pass the permit to ``release(_:)`` when the call ends, even if the call fails: a probe blocks all other calls until its release.
    package mutating func permit(at now: Duration) -> Permit? {
        guard wait(at: now) == nil else { return nil }
        isProbing = !isClosed
        return Permit(isProbe: isProbing)
    }

    package mutating func release(_ permit: Permit) {
        if permit.isProbe { isProbing = false }
    }

    /// Closes the breaker, because the service responded; returns true if the breaker was open.
    package mutating func close() -> Bool {
        defer { self = CircuitBreaker() }
        return !isClosed
    }

    package mutating func open(for pause: Duration, at now: Duration) {
        openings += 1
        openUntil = now + pause
    }

    /// Keeps an open breaker open for at least this long; has no effect on ``openings`` or on a closed breaker.
    package mutating func extend(for pause: Duration, at now: Duration) {
        openUntil = openUntil.map { max($0, now + pause) }
    }

    /// Opens the breaker, and returns the probe's permit to a caller that repeats its failed call after `delay`.
    package mutating func openForProbe(after delay: Duration, at now: Duration) -> Permit {
        openUntil = now + delay
        isProbing = true
        return Permit(isProbe: true)
    }

    /// Whether the pause ended at least this long ago and no probe is running; true for a closed breaker.
    package func isIdle(for time: Duration, at now: Duration) -> Bool {
        guard !isProbing, let openUntil else { return !isProbing }
        return openUntil + time <= now
    }
}
