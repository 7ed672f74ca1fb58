internal import IdentityHTTP
internal import IdentityKit

/// Lets keys that got old serve on while no others can be had, until they reach a hard age.
///
/// Keys that were good do not turn bad because the provider is down. But a key that was revoked meanwhile must not verify for
/// ever either, and whoever stole it may be able to keep us from the news.
struct KeySetStaleIfError: KeySetProviding {
    /// How long keys serve at most since the provider last said that they are its own.
    static let hardAge = Duration.seconds(2 * 86_400)
    /// How long old keys serve before they are asked for again.
    static let pause = Duration.seconds(60)

    private let next: any KeySetProviding
    private let clock: any IdentityClock

    init(_ next: any KeySetProviding, clock: any IdentityClock) {
        self.next = next
        self.clock = clock
    }

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        do {
            return try await next.keys(at: url, demand)
        } catch {
            let now = clock.elapsed
            // Of keys that are not old yet a failure changes nothing.
            guard case .refreshed(var known) = demand, known.url == url, now >= known.freshUntil,
                now < known.confirmedAt + Self.hardAge
            else { throw error }
            known.freshUntil = min(now + Self.pause, known.confirmedAt + Self.hardAge)
            return known
        }
    }
}
