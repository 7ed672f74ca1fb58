internal import Synchronization

/// Caches a value of a provider's discovery document for an hour; callers that wait at the same time share one fetch.
///
/// After a failed fetch, fetches pause for a minute if an old value may be used. Otherwise they pause for a second, doubled with each
/// failure up to 30 seconds, or up to a minute if `Retry-After` requests it. All times are on the monotonic clock.
package final class FetchCache<Value: AnyObject & Sendable>: Sendable {
    private static var lifetime: Duration { .seconds(3600) }
    private static var pauseWithOldValue: Duration { .seconds(60) }
    private static var longestPause: Duration { .seconds(30) }
    private static var longestRequestedPause: Duration { .seconds(60) }

    private let clock: any IdentityClock
    private let refusalLimit: Duration
    private let state = Mutex(State())
    private let fetches = SingleFlight<Bool, Value>()

    /// `refusalLimit`: how long an old value may be used after a fetch has failed with another kind than `retryLater` or `cancelled`.
    ///
    /// If all fetches fail with `retryLater`, as in an outage, the old value may be used without a time limit.
    package init(clock: any IdentityClock, usingOldValueAfterRefusal refusalLimit: Duration) {
        self.clock = clock
        self.refusalLimit = refusalLimit
    }

    /// Returns the value from memory while it is fresh, otherwise fetches it; if the fetch fails, returns an old value that may be used.
    ///
    /// Without a usable old value, throws the error of `fetch`, also for calls during the pause after a failed fetch. If the fetch or the
    /// calling task is cancelled, throws even if an old value may be used.
    package func value(_ fetch: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let known = try known() { return known }
        return try await fetches.run(true) { [self] in
            // Another caller's fetch may have ended between the check and this fetch.
            if let known = try known() { return known }
            let value: Value
            do {
                value = try await fetch()
            } catch {
                return try recover(from: IdentityError.wrapping(error))
            }
            state.withLock { $0 = State(value: value, fetchedAt: clock.elapsed) }
            return value
        }.result.get()
    }

    /// The cached value, if it may be used without a request; nil if the document has to be fetched now.
    ///
    /// While fetches are paused and no old value may be used, throws the error of the last fetch.
    package func known() throws(IdentityError) -> Value? {
        let now = clock.elapsed
        let value = try state.withLock { state throws(IdentityError) -> (any AnyObject & Sendable)? in
            if let value = state.value, now - state.fetchedAt < Self.lifetime { return value }
            guard let failure = state.failure, now < state.pausedUntil else { return nil }
            if let value = usableOldValue(state, now) { return value }
            // The copy has the correlation id of the operation that needs the document now.
            throw failure.recast(retryAfter: failure.kind == .retryLater ? state.pausedUntil - now : nil)
        }
        guard let value else { return nil }
        return stored(value)
    }

    /// Starts a pause after a failed fetch, and returns the old value; throws the failure if no old value may be used.
    ///
    /// A cancelled fetch starts no pause, and its failure is always thrown.
    private func recover(from failure: IdentityError) throws(IdentityError) -> Value {
        guard failure.kind != .cancelled else { throw failure }
        let now = clock.elapsed
        let old = state.withLock { state in
            if failure.kind != .retryLater { state.refusedSince = state.refusedSince ?? now }
            let old = usableOldValue(state, now)
            state.failure = failure
            state.failureCount += 1
            let doubled = Duration.seconds(1 << min(state.failureCount - 1, 5))
            let requested = min(failure.retryAfter ?? .zero, Self.longestRequestedPause)
            let pause = old == nil ? max(min(doubled, Self.longestPause), requested) : Self.pauseWithOldValue
            state.pausedUntil = now + pause
            return old
        }
        guard let old else { throw failure }
        return stored(old)
    }

    private func usableOldValue(_ state: State, _ now: Duration) -> (any AnyObject & Sendable)? {
        state.refusedSince.map { now - $0 < refusalLimit } ?? true ? state.value : nil
    }

    /// The unchecked cast is safe, because the cache stores only values of this type.
    private func stored(_ value: any AnyObject & Sendable) -> Value { unsafe unsafeDowncast(value, to: Value.self) }
}

/// The state of a cache; this type is not generic, because Swift's runtime looks up the metadata of a generic type at each use.
private struct State {
    var value: (any AnyObject & Sendable)?
    var fetchedAt = Duration.zero
    /// When a document was refused for the first time since the last successful fetch; nil if no document was refused.
    var refusedSince: Duration?
    var failure: IdentityError?
    var failureCount = 0
    var pausedUntil = Duration.zero
}
