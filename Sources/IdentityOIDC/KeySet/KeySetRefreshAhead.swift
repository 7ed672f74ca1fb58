internal import IdentityHTTP
internal import IdentityKit

/// Fetches keys in the background shortly before they expire, so that no login waits for it.
///
/// A failed fetch has no effect: the cached keys are still valid, and the first caller after their expiry fetches again.
struct KeySetRefreshAhead: KeySetProviding {
    private let next: any KeySetProviding
    private let clock: any IdentityClock
    let refreshes = SingleFlight<String, Void>()

    init(_ next: any KeySetProviding, clock: any IdentityClock) {
        self.next = next
        self.clock = clock
    }

    /// How long before their expiry keys are fetched again: a fifth of their lifetime, at most five minutes.
    static func lead(_ lifetime: Duration) -> Duration {
        min(lifetime / 5, .seconds(300))
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        let snapshot = try await next.keys(at: url, requirement)
        if clock.elapsed >= snapshot.freshUntil - Self.lead(snapshot.lifetime) {
            refreshes.start(url.text) { [next] in _ = try await next.keys(at: url, .refreshed(snapshot)) }
        }
        return snapshot
    }
}
