internal import Synchronization

/// Records until when a session must not be refreshed again, because its last refreshes failed.
///
/// The pauses apply to this process only, because a repair in another process must not wait for them.
final class SessionRefreshPauses: Sendable {
    private struct Pause {
        var failures: Int
        var until: Duration
        /// The end of the pause for background refreshes, which can wait because the old token is still valid.
        var earlyUntil: Duration
        var error: IdentityError
    }

    private static let betweenEarlyRefreshes = Duration.seconds(30)
    private static let longest = Duration.seconds(30)
    private static let longestAsked = Duration.seconds(60)

    private let environment: IdentityEnvironment
    /// If the full table removes an entry, its session is refreshed again without a pause.
    private let pauses = Mutex(BoundedTable<SessionID, Pause>(maximum: 10_000))

    init(in environment: IdentityEnvironment) {
        self.environment = environment
    }

    /// The error of the last failed refresh, with the rest of the pause as its `retryAfter`; nil if there is no pause.
    func error(delaying id: SessionID) -> IdentityError? {
        let now = environment.clock.elapsed
        guard let pause = pauses.withLock({ $0[id] }), pause.until > now else { return nil }
        return pause.error.recast(retryAfter: pause.until - now)
    }

    func failed(_ id: SessionID, with error: IdentityError) {
        let now = environment.clock.elapsed
        pauses.withLock { pauses in
            let failures = (pauses[id]?.failures ?? 0) + 1
            // After the first failure, there is a pause only if the provider requested it, because the next refresh may succeed at once.
            let pause =
                failures == 1
                ? min(error.retryAfter ?? .zero, Self.longest)
                : Backoff.pause(
                    after: failures - 1,
                    first: .milliseconds(500),
                    atLeast: error.retryAfter,
                    atMost: Self.longest,
                    random: environment.random
                )
            let recorded = Pause(
                failures: failures,
                until: now + pause,
                earlyUntil: now + max(min(error.retryAfter ?? .zero, Self.longestAsked), Self.betweenEarlyRefreshes),
                error: error
            )
            pauses.insert(recorded, for: id) { $0.earlyUntil <= now }
        }
    }

    /// Records a failed background refresh, unless ``failed(_:with:)`` has already recorded the failure.
    func failedEarly(_ id: SessionID, with error: IdentityError) {
        // After these errors, the next refresh may succeed: for example, this refresh waited too long or lost its lock.
        guard error.code != .refreshBusy, error.code != .cancelled else { return }
        let now = environment.clock.elapsed
        pauses.withLock { pauses in
            guard pauses[id].map({ $0.earlyUntil <= now }) ?? true else { return }
            let failures = pauses[id]?.failures ?? 0
            let pause = Pause(
                failures: failures,
                until: now,
                earlyUntil: now + Self.betweenEarlyRefreshes,
                error: error
            )
            pauses.insert(pause, for: id) { $0.earlyUntil <= now }
        }
    }

    /// The error of the last failed refresh while it delays the next background refresh; nil if no failure delays it.
    func earlyFailure(_ id: SessionID) -> IdentityError? {
        let now = environment.clock.elapsed
        return pauses.withLock { pauses in pauses[id].flatMap { $0.earlyUntil > now ? $0.error : nil } }
    }

    func succeeded(_ id: SessionID) {
        pauses.withLock { $0.remove(id) }
    }
}
