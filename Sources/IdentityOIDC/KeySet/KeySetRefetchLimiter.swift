internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A small budget for fetches that a token's unknown key causes: two at once, one more a minute.
///
/// A rotation just before signing passes, while a flood of made-up key ids costs no more than the budget. A fetch that fails is
/// not charged: an outage must not use up what the rotation behind it needs.
final class KeySetRefetchLimiter: KeySetProviding {
    private struct State {
        var bucket = TokenBucket(size: 2, interval: .seconds(60))
        var isRefusing = false
    }

    private let next: any KeySetProviding
    private let clock: any IdentityClock
    private let reporter: KeySetReporter
    private let state = Mutex(State())

    init(_ next: any KeySetProviding, clock: any IdentityClock, reporter: KeySetReporter) {
        self.next = next
        self.clock = clock
        self.reporter = reporter
    }

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        guard case .newer(let known, _) = demand else { return try await next.keys(at: url, demand) }
        let now = clock.elapsed
        let (isAllowed, isNews) = state.withLock { state in
            let isAllowed = state.bucket.take(at: now)
            defer { state.isRefusing = !isAllowed }
            return (isAllowed, !isAllowed && !state.isRefusing)
        }
        // Told once for each flood, or the log would be the flood's next victim.
        if isNews { reporter.report(.keySetRefetchRefused, since: now) }
        guard isAllowed else { return known }
        do {
            return try await next.keys(at: url, demand)
        } catch {
            state.withLock { $0.bucket.giveBack() }
            throw error
        }
    }
}
