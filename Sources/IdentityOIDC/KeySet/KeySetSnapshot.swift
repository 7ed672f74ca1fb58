package import IdentityHTTP

/// A provider's key set at one time, with the values that determine how long the keys are used.
package struct KeySetSnapshot: Sendable {
    package let url: HTTPURL
    package let keys: JSONWebKeySet
    /// A number that changes when the keys change.
    let revision: Int
    /// The number of the fetch that returned or confirmed the keys.
    var fetch: Int
    let entityTag: String?
    /// How long the keys may be cached, within the bounds of ``KeySetLifetime``.
    var lifetime: Duration
    /// The start of the request that returned the keys.
    let receivedAt: Duration
    /// The start of the last request that returned the keys or "not modified" (304).
    var confirmedAt: Duration
    /// When the keys expire; a failed fetch may extend this time.
    var freshUntil: Duration

    /// How long before their expiry keys are fetched again: a fifth of their lifetime, at most five minutes.
    static func lead(_ lifetime: Duration) -> Duration {
        // This equals min(lifetime / 5, .seconds(300)), but avoids the slow division of a Duration for long lifetimes.
        lifetime < .seconds(1500) ? lifetime / 5 : .seconds(300)
    }

    func isDue(at now: Duration) -> Bool { now >= freshUntil - Self.lead(lifetime) }
}
