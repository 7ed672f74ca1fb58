internal import IdentityHTTP

/// One link of the chain through which a provider's keys come: it does one thing and asks the next link for the rest.
///
/// ``KeySetSource`` puts the chain together; `Documentation/Decisions/0008-key-set.md` says why the links stand in that order.
protocol KeySetProviding: Sendable {
    /// The keys at an address.
    ///
    /// - Returns: What meets the demand; for ``KeySetRequirement/newer(than:keyID:)`` the known keys where newer ones are not to be had.
    /// - Throws: `IdentityError` when there are none and none can be had.
    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot
}

/// What is asked of a ``KeySetProviding``.
enum KeySetRequirement: Sendable {
    /// Keys that may be used now.
    case usable
    /// What the provider publishes now, for these get old.
    case refreshed(KeySetSnapshot)
    /// What the provider publishes now, for these do not verify a token with that `kid`.
    case newer(than: KeySetSnapshot, keyID: String?)

    /// The keys that the asker has.
    var known: KeySetSnapshot? {
        switch self {
        case .usable: nil
        case .refreshed(let known), .newer(let known, _): known
        }
    }

    /// Whether keys that somebody else asked for do for this demand, too.
    func isMet(by snapshot: KeySetSnapshot, at now: Duration) -> Bool {
        switch self {
        case .usable: now < snapshot.freshUntil
        case .refreshed(let known): snapshot.fetch != known.fetch && now < snapshot.freshUntil
        case .newer(let known, let keyID):
            snapshot.revision != known.revision && keyID.map { snapshot.keys.contains(keyID: $0) } ?? true
        }
    }
}
