internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Limits the rate of fetches for tokens that the known keys do not verify: a burst of two, then one per minute.
///
/// A flood of tokens with invented key ids therefore causes few fetches. A failed fetch does not count, because an outage could
/// otherwise use up the fetches that the next key rotation needs.
final class KeySetRefetchLimiter: KeySetProviding {
    private struct State {
        var bucket = TokenBucket(size: 2, interval: .seconds(60))
        var isRefusing = false
    }

    private let next: any KeySetProviding
    private let environment: IdentityEnvironment
    private let provider: String
    private let state = Mutex(State())

    init(_ next: any KeySetProviding, environment: IdentityEnvironment, provider: String) {
        self.next = next
        self.environment = environment
        self.provider = provider
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        guard case .newer(let known, _) = requirement else { return try await next.keys(at: url, requirement) }
        let now = environment.clock.elapsed
        let (isAllowed, isFirstRefusal) = state.withLock { state in
            let isAllowed = state.bucket.take(at: now)
            defer { state.isRefusing = !isAllowed }
            return (isAllowed, !isAllowed && !state.isRefusing)
        }
        // Only the first refusal after a permitted fetch is reported, so that a flood does not fill the log.
        if isFirstRefusal { environment.report(.keySetRefetchRefused, provider: provider, since: now) }
        guard isAllowed else { return known }
        do {
            return try await next.keys(at: url, requirement)
        } catch {
            state.withLock { $0.bucket.refund() }
            throw error
        }
    }
}
