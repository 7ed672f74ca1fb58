package import IdentityHTTP

/// A provider's key set at one time, with the values that determine how long it is used.
package struct KeySetSnapshot: Sendable {
    /// The URL of the set.
    package let url: HTTPURL
    package let keys: JSONWebKeySet
    /// A number that changes when the keys change.
    let revision: Int
    /// The number of the fetch that returned or confirmed the keys.
    let fetch: Int
    /// The response's `ETag`, if valid.
    let entityTag: String?
    /// How long the response permits caching, within this client's bounds.
    let lifetime: Duration
    /// When the whole set was received.
    let receivedAt: Duration
    /// When the provider last confirmed the keys, by a whole set or by "not modified".
    let confirmedAt: Duration
    /// When the keys expire.
    var freshUntil: Duration
}
