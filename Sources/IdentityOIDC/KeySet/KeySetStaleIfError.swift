internal import IdentityHTTP
internal import IdentityKit

/// Uses expired keys while newer keys cannot be fetched, up to a maximum age (like `stale-if-error` of RFC 5861).
///
/// Without the maximum age, an attacker with a stolen signing key could block the fetches. Clients would then accept the stolen key
/// forever, although the provider has revoked it.
struct KeySetStaleIfError: KeySetProviding {
    /// The longest time for which keys are used after the provider last confirmed them.
    static let maximumAge = Duration.seconds(2 * 86_400)
    /// How long expired keys are used after a failed fetch, before a caller waits for another fetch.
    static let pause = Duration.seconds(60)

    let next: any KeySetProviding
    let clock: any IdentityClock

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        do {
            return try await next.keys(at: url, requirement)
        } catch {
            let now = clock.elapsed
            // If the known keys have not expired, this link throws the error, because ``KeySetCache`` still returns these keys.
            guard case .refreshed(var known) = requirement, known.url == url, now >= known.freshUntil,
                now < known.confirmedAt + Self.maximumAge
            else { throw error }
            known.freshUntil = min(now + Self.pause, known.confirmedAt + Self.maximumAge)
            return known
        }
    }
}
