package import IdentityHTTP

/// A provider's keys as they were at one moment, with what decides how long they serve.
package struct KeySetSnapshot: Sendable {
    /// Where they were published.
    package let url: HTTPURL
    package let keys: JSONWebKeySet
    /// Changes when the keys do.
    let revision: Int
    /// Which fetch brought or confirmed them.
    let fetch: Int
    /// The answer's `ETag`, where it has a proper one.
    let entityTag: String?
    /// How long the answer lets them be kept, within this client's bounds.
    let lifetime: Duration
    /// When they came as a whole.
    let receivedAt: Duration
    /// When the provider last said that these are its keys: a whole set, or "not modified".
    let confirmedAt: Duration
    /// From when on they are asked for again before they are used.
    var freshUntil: Duration
}
