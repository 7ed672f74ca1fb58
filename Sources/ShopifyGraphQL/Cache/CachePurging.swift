public import IdentityKit

/// Removes what a cache keeps for a session when a logout or the provider ends it: add it to the session manager, and hold on to it.
///
/// Of an end by the provider this process hears when it refreshes the session, when it asks for the session's tokens, or by a
/// back-channel logout. A session that another process logs out tells nobody here: its id is of no use any more, and what is kept for it
/// goes when room is needed.
public final class CachePurging: SessionParticipant {
    private let cache: any ResponseCache

    /// Purges a cache.
    public init(_ cache: any ResponseCache) {
        self.cache = cache
    }

    /// Nothing changes for the cache: what it keeps does not depend on the buyer's token.
    public func sessionRenewed(_ session: Session) async throws {}

    /// Removes what was kept for the session: only a new login, with another session, helps.
    public func sessionNeedsLogin(_ session: Session) async throws {
        await cache.removeAll(for: session.id)
    }

    /// Removes what was kept for the session.
    public func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        await cache.removeAll(for: session.id)
    }
}
