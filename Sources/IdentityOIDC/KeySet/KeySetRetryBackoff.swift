internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Limits the rate of fetches after failures: a burst of two, then one every ten seconds; a success ends the limit.
///
/// ``KeySetRefetchLimiter`` does not count failed fetches. So without this limit, a flood of invalid tokens would cause a fetch for each
/// token while a provider is down.
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
            if state.url != url { state = State(url: url) }
            return state.bucket.take(at: now) ? nil : state.failure
        }
        // `recast` copies the stored error, which has the correlation id of the failed fetch. The copy has the id of this operation.
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
