internal import FoundationEssentials

/// Decides how long a session is kept, and whether its time is over.
struct SessionLifetime: Sendable {
    private let clock: any IdentityClock
    private let configuration: SessionManager.Configuration
    /// Where both clocks stood when the manager was made.
    private let beginning: (now: Date, elapsed: Duration)

    init(_ configuration: SessionManager.Configuration, clock: any IdentityClock) {
        self.configuration = configuration
        self.clock = clock
        beginning = (clock.now, clock.elapsed)
    }

    /// The time by which sessions and pending logins expire.
    ///
    /// A wall clock that jumps ahead must not make everything look old: since the start no more time has passed than on the clock that
    /// never jumps.
    var now: Date {
        min(clock.now, beginning.now + (clock.elapsed - beginning.elapsed).timeInterval)
    }

    /// Until when a session is kept that is saved now.
    ///
    /// - Parameters:
    ///   - createdAt: When the buyer signed in.
    ///   - earlier: Until when it was kept so far; nil for a new session.
    /// - Returns: When the session ends.
    func end(ofSessionSince createdAt: Date, keptUntil earlier: Date? = nil) -> Date {
        let sliding = clock.now + configuration.sessionRetention.timeInterval
        // Never earlier than it was: this process's clock may be the one that is behind.
        return limited(max(earlier ?? sliding, sliding), since: createdAt)
    }

    /// When a stored session ends, unless it is refreshed before.
    ///
    /// The maximum lifetime counts as it is configured now, also for sessions that were saved under a longer one.
    func end(of session: StoredSession) -> Date {
        session.provider.isIdentical(to: SessionManager.guestProvider)
            ? session.retainedUntil : limited(session.retainedUntil, since: session.createdAt)
    }

    /// Whether a session's time is over: to every call it is unknown, whether or not a sweep has removed it.
    func isOver(_ session: StoredSession) -> Bool {
        end(of: session) < now
    }

    private func limited(_ end: Date, since createdAt: Date) -> Date {
        guard let maximum = configuration.maximumSessionLifetime else { return end }
        return min(end, createdAt + maximum.timeInterval)
    }
}
