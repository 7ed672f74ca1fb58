internal import IdentityHTTP
internal import IdentityKit

/// Asks for keys again in the background shortly before they get old, so that no login waits for it.
///
/// A failure there changes nothing: the keys at hand are still good, and whoever comes after they got old asks again.
struct KeySetRefreshAhead: KeySetProviding {
    private let next: any KeySetProviding
    private let clock: any IdentityClock
    let refreshes = SingleFlight<String, Void>()

    init(_ next: any KeySetProviding, clock: any IdentityClock) {
        self.next = next
        self.clock = clock
    }

    /// How long before their end keys are asked for again: a fifth of their lifetime, five minutes at most.
    static func lead(_ lifetime: Duration) -> Duration {
        min(lifetime / 5, .seconds(300))
    }

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        let snapshot = try await next.keys(at: url, demand)
        if clock.elapsed >= snapshot.freshUntil - Self.lead(snapshot.lifetime) {
            refreshes.start(url.text) { [next] in _ = try await next.keys(at: url, .refreshed(snapshot)) }
        }
        return snapshot
    }
}
