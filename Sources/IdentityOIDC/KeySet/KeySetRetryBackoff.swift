internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Limits the rate of fetches after failures: a burst of two, then one every ten seconds; a success ends the limit.
///
/// While a provider is down, this limit protects it from the fetches that a flood of invalid tokens causes. ``KeySetRefetchLimiter``
/// does not protect it then, because it does not count failed fetches.
final class KeySetRetryBackoff: KeySetProviding {
    private struct State {
        var url: HTTPURL?
        var bucket = TokenBucket(size: 2, interval: .seconds(10))
        var failure: IdentityError?
    }

    private let next: any KeySetProviding
    private let clock: any IdentityClock
    private let state = Mutex(State())

    init(_ next: any KeySetProviding, clock: any IdentityClock) {
        self.next = next
        self.clock = clock
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        let now = clock.elapsed
        let failure = state.withLock { state -> IdentityError? in
            // The failures of another URL do not count.
            if state.url != url { state = State(url: url) }
            return state.bucket.take(at: now) ? nil : state.failure
        }
        // A copy of the error, so that it has the correlation id of this operation, not of the failed fetch.
        if let failure { throw failure.recast(as: failure.kind) }
        do {
            let snapshot = try await next.keys(at: url, requirement)
            state.withLock { $0 = State(url: url) }
            return snapshot
        } catch {
            state.withLock { $0.failure = IdentityError.wrapping(error) }
            throw error
        }
    }
}
