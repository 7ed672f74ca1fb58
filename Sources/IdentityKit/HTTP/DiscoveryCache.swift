internal import Synchronization

/// Caches a value that is read from one of a provider's discovery documents.
///
/// A value is kept for an hour. One fetch serves all callers that wait. After a failed attempt nothing is fetched for a while:
/// one second after the first failure, twice as long after each further one, at most ``longestPause``. `Retry-After` can make the
/// pause longer, up to ``longestRequestedPause``. If the old value may still be used, the pause is one minute. All times are on the
/// monotonic clock.
///
/// The value is an object, so that the cache copies one reference.
package final class DiscoveryCache<Value: AnyObject & Sendable>: Sendable {
    /// How long a value is used before the document is fetched again.
    private static var lifetime: Duration { .seconds(3600) }
    /// How long an old value is used after a failed attempt before the next attempt.
    private static var pauseWithOldValue: Duration { .seconds(60) }
    /// The longest pause between two failed attempts while there is no value at all.
    package static var longestPause: Duration { .seconds(30) }
    /// The longest `Retry-After` that is honoured.
    package static var longestRequestedPause: Duration { .seconds(60) }

    private let clock: any IdentityClock
    private let refusalLimit: Duration
    private let state = Mutex(DiscoveryState())
    private let fetches = SingleFlight<Bool, Value>()

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - clock: Its monotonic time is used.
    ///   - refusalLimit: How long an old value may be used after a newer document was refused, with any error that is not of kind
    ///     `retryLater`. An outage after a refusal does not extend this time. Without a refusal, an outage has no limit.
    package init(clock: any IdentityClock, usingOldValueAfterRefusal refusalLimit: Duration) {
        self.clock = clock
        self.refusalLimit = refusalLimit
    }

    /// The value, from memory while it is fresh.
    ///
    /// - Parameter fetch: Reads the document.
    /// - Returns: The cached or fetched value.
    /// - Throws: The error of `fetch`. During a pause the last error is thrown again, with the rest of the pause as `retryAfter`
    ///   if its kind is `retryLater`.
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
            state.withLock { $0 = DiscoveryState(value: value, fetchedAt: clock.elapsed) }
            return value
        }.value
    }

    /// The cached value, if it may be used without a request; nil if the document has to be fetched now.
    ///
    /// - Throws: The error of the last attempt, during a pause without a usable value.
    package func known() throws(IdentityError) -> Value? {
        let now = clock.elapsed
        let value = try state.withLock { state throws(IdentityError) -> (any AnyObject & Sendable)? in
            if let value = state.value, now - state.fetchedAt < Self.lifetime { return value }
            guard let failure = state.failure, now < state.pausedUntil else { return nil }
            if let value = usableOldValue(state, now) { return value }
            throw failure.repeated(before: state.pausedUntil - now)
        }
        guard let value else { return nil }
        return stored(value)
    }

    /// Starts a pause; returns the old value if it may be used after this error.
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

    private func usableOldValue(_ state: DiscoveryState, _ now: Duration) -> (any AnyObject & Sendable)? {
        state.refusedSince.map { now - $0 < refusalLimit } ?? true ? state.value : nil
    }

    /// A value of the state with its type: only values of this type are stored.
    private func stored(_ value: any AnyObject & Sendable) -> Value { unsafe unsafeDowncast(value, to: Value.self) }
}

/// The state of a cache; not generic, because Swift's runtime looks up a generic type's metadata at each use.
private struct DiscoveryState {
    var value: (any AnyObject & Sendable)?
    var fetchedAt = Duration.zero
    /// When the first document since the last success was refused; nil if there were only outages.
    var refusedSince: Duration?
    var failure: IdentityError?
    var failureCount = 0
    var pausedUntil = Duration.zero
}

extension IdentityError {
    /// The same error for another operation, with the correlation id of that operation.
    fileprivate func repeated(before pauseEnds: Duration) -> IdentityError {
        IdentityError(
            kind,
            code,
            message,
            hint: hint,
            reference: reference,
            retryAfter: kind == .retryLater ? pauseEnds : nil,
            providerResponse: providerResponse,
            cause: cause
        )
    }
}
