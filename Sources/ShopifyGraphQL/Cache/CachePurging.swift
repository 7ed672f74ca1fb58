public import IdentityKit

/// Removes what a cache keeps for a session when a logout ends it: add it to the session manager, and hold on to it.
///
/// A session that the provider ends, or that another process logs out, tells nobody here: what is kept for it serves nobody any more, and
/// goes when room is needed.
public final class CachePurging: SessionParticipant {
    private let cache: any ResponseCache

    /// Purges a cache.
    public init(_ cache: any ResponseCache) {
        self.cache = cache
    }

    /// Nothing changes for the cache: what it keeps does not depend on the buyer's token.
    public func sessionRenewed(_ session: Session) async throws {}

    /// Removes what was kept for the session.
    public func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        await cache.removeAll(for: session.id)
    }
}
