internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Leaves a key set alone that just failed: two failing fetches at once, one more every ten seconds; a success ends the pause.
///
/// What stands between a flood of made-up tokens and a provider that is down, where ``KeySetRefetchLimiter`` charges nothing.
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

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        let now = clock.elapsed
        let failure = state.withLock { state -> IdentityError? in
            // Another address has not failed yet.
            if state.url != url { state = State(url: url) }
            return state.bucket.take(at: now) ? nil : state.failure
        }
        // Made anew, for it belongs to this operation now.
        if let failure { throw failure.recast(as: failure.kind) }
        do {
            let snapshot = try await next.keys(at: url, demand)
            state.withLock { $0 = State(url: url) }
            return snapshot
        } catch {
            state.withLock { $0.failure = IdentityError.wrapping(error) }
            throw error
        }
    }
}
