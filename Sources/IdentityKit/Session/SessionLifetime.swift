internal import FoundationEssentials

final class SessionLifetime: Sendable {
    private let clock: any IdentityClock
    private let configuration: SessionManager.Configuration
    /// The times of the wall clock and the monotonic clock when the manager was created.
    private let beginning: (now: Date, elapsed: Duration)

    init(_ configuration: SessionManager.Configuration, clock: any IdentityClock) {
        self.configuration = configuration
        self.clock = clock
        beginning = (clock.now, clock.elapsed)
    }

    /// The wall clock's time, limited by the monotonic clock, because a wall clock that jumps ahead must not end sessions early.
    ///
    /// Do not use this time for login attempts: after the correction of a slow wall clock, they would stay valid too long.
    var now: Date {
        min(clock.now, beginning.now + (clock.elapsed - beginning.elapsed).timeInterval)
    }

    /// Returns when a session that is saved now will end; `earlier` is the previously saved end, nil for a new session.
    func end(ofSessionSince createdAt: Date, keptUntil earlier: Date? = nil) -> Date {
        // The property `now` is not used: after the correction of a slow wall clock, `now` stays behind, and the session would end early.
        let sliding = clock.now + configuration.sessionRetention.timeInterval
        // If this process's clock is behind, the session's end must not move to an earlier time.
        return limited(max(earlier ?? sliding, sliding), since: createdAt)
    }

    /// When a stored session ends if no refresh extends it.
    ///
    /// The configured maximum lifetime also limits sessions that were saved under a longer maximum, but not guests' sessions.
    func end(of session: StoredSession) -> Date {
        session.provider.isIdentical(to: SessionManager.guestProvider)
            ? session.retainedUntil : limited(session.retainedUntil, since: session.createdAt)
    }

    func hasExpired(_ session: StoredSession) -> Bool {
        end(of: session) < now
    }

    private func limited(_ end: Date, since createdAt: Date) -> Date {
        guard let maximum = configuration.maximumSessionLifetime else { return end }
        return min(end, createdAt + maximum.timeInterval)
    }
}
