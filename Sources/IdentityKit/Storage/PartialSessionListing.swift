/// A store that lists the sessions that can be read, and says when those are not all.
///
/// A row whose content is damaged may still be known to match. Whoever ends sessions has to end the others, and must not
/// report that all are gone.
package protocol PartialSessionListing: TokenStore {
    /// The readable sessions that match, oldest first, and why others that match are missing; nil when none is.
    func readableSessions(
        matching filter: SessionFilter
    ) async throws -> (sessions: [StoredSession], damage: IdentityError?)
}

extension TokenStore {
    /// The readable sessions that match; of a store that cannot tell them apart, all of them or an error.
    func sessionsAndDamage(
        matching filter: SessionFilter
    ) async throws -> (sessions: [StoredSession], damage: IdentityError?) {
        guard let partial = self as? any PartialSessionListing else {
            return (try await sessions(matching: filter), nil)
        }
        return try await partial.readableSessions(matching: filter)
    }
}
