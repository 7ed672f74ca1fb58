internal import IdentityHTTP
internal import IdentityKit

/// Starts a background fetch when keys are used shortly before they expire, so that later logins do not wait for a fetch.
///
/// A failed fetch leaves the cached keys in place.
struct KeySetRefreshAhead: KeySetProviding {
    let next: any KeySetProviding
    let clock: any IdentityClock
    let refreshes = SingleFlight<String, Void>()

    /// How long before their expiry keys are fetched again: a fifth of their lifetime, at most five minutes.
    static func lead(_ lifetime: Duration) -> Duration {
        // This equals min(lifetime / 5, .seconds(300)), but avoids the slow division of a Duration for long lifetimes.
        lifetime < .seconds(1500) ? lifetime / 5 : .seconds(300)
    }

    static func isDue(_ snapshot: KeySetSnapshot, at now: Duration) -> Bool {
        now >= snapshot.freshUntil - lead(snapshot.lifetime)
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        let snapshot = try await next.keys(at: url, requirement)
        if Self.isDue(snapshot, at: clock.elapsed) {
            refreshes.start(url.text) { [next] in _ = try await next.keys(at: url, .refreshed(snapshot)) }
        }
        return snapshot
    }
}
