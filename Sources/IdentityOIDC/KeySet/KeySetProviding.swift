internal import IdentityHTTP

/// A link of the chain that gets a provider's keys; each link has one task, and each but the last calls the next link.
///
/// ``KeySetSource`` builds the chain; `Documentation/Decisions/0008-key-set.md` explains the order of the links.
protocol KeySetProviding: Sendable {
    /// Returns keys that meet the requirement, with two exceptions.
    ///
    /// During an outage, the keys may be expired (``KeySetStaleIfError``). For ``KeySetRequirement/newer(than:keyID:)``, the result may be
    /// newer keys that lack the `kid`, or the known keys if the provider has no newer keys or if no fetch is permitted now.
    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot
}

/// The keys that a caller of ``KeySetProviding`` needs.
enum KeySetRequirement: Sendable {
    /// Keys that are not expired.
    case usable
    /// Newly fetched keys, because the known keys expire soon or have expired.
    case refreshed(KeySetSnapshot)
    /// Newer keys, because the known keys do not verify a token with this `kid`; `keyID` is nil for a token without `kid`.
    case newer(than: KeySetSnapshot, keyID: String?)

    var known: KeySetSnapshot? {
        switch self {
        case .usable: nil
        case .refreshed(let known), .newer(let known, _): known
        }
    }

    func isMet(by snapshot: KeySetSnapshot, at now: Duration) -> Bool {
        switch self {
        case .usable: now < snapshot.freshUntil
        case .refreshed(let known): snapshot.fetch != known.fetch && now < snapshot.freshUntil
        case .newer(let known, let keyID):
            snapshot.revision != known.revision && keyID.map { snapshot.keys.contains(keyID: $0) } ?? true
        }
    }
}
