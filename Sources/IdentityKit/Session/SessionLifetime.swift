internal import FoundationEssentials

/// Decides how long a session is kept, and whether it has expired.
final class SessionLifetime: Sendable {
    private let clock: any IdentityClock
    private let configuration: SessionManager.Configuration
    /// The times of both clocks when the manager was created.
    private let beginning: (now: Date, elapsed: Duration)

    init(_ configuration: SessionManager.Configuration, clock: any IdentityClock) {
        self.configuration = configuration
        self.clock = clock
        beginning = (clock.now, clock.elapsed)
    }

    /// The current time for decisions about the expiry of sessions, and for sweeps.
    ///
    /// A wall clock that jumps ahead must not make sessions expire early. So since the creation of the manager, at most as much time
    /// counts as has passed on the monotonic clock.
    ///
    /// The expiry of a login attempt is compared with the wall clock instead, so that a correction of the clock does not make the attempt
    /// valid longer.
    var now: Date {
        min(clock.now, beginning.now + (clock.elapsed - beginning.elapsed).timeInterval)
    }

    /// The end of retention for a session that is saved now.
    ///
    /// - Parameters:
    ///   - createdAt: When the buyer signed in.
    ///   - earlier: The previous end of retention; nil for a new session.
    /// - Returns: When the session ends.
    func end(ofSessionSince createdAt: Date, keptUntil earlier: Date? = nil) -> Date {
        let sliding = clock.now + configuration.sessionRetention.timeInterval
        // The end never becomes earlier, because the clock of this process may be behind.
        return limited(max(earlier ?? sliding, sliding), since: createdAt)
    }

    /// When a stored session ends, unless it is refreshed before.
    ///
    /// The currently configured maximum lifetime applies, also to sessions that were saved with a longer one. It does not apply to guests.
    func end(of session: StoredSession) -> Date {
        session.provider.isIdentical(to: SessionManager.guestProvider)
            ? session.retainedUntil : limited(session.retainedUntil, since: session.createdAt)
    }

    /// Whether a session has expired: every call treats it as unknown, even before a sweep removes it.
    func hasExpired(_ session: StoredSession) -> Bool {
        end(of: session) < now
    }

    private func limited(_ end: Date, since createdAt: Date) -> Date {
        guard let maximum = configuration.maximumSessionLifetime else { return end }
        return min(end, createdAt + maximum.timeInterval)
    }
}
