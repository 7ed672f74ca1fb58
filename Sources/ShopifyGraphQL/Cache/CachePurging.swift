public import IdentityKit

/// Removes the cached responses of a session when the session ends.
///
/// Add this participant to the session manager, and keep a reference to the participant, because the session manager's reference is weak.
///
/// A process does not learn that another process logged a session out. The cached responses of such a session stay until the cache needs
/// room. Nobody gets these responses, because the session's id can no longer be used.
public final class CachePurging: SessionParticipant {
    private let cache: any ResponseCache

    /// Creates a participant that purges a cache.
    public init(_ cache: any ResponseCache) {
        self.cache = cache
    }

    /// Has no effect: cached responses do not depend on the buyer's token.
    public func sessionRefreshed(_ session: Session) async throws {}

    /// Removes the session's responses.
    ///
    /// The buyer must sign in again, which begins another session, so nobody will ask for these responses.
    public func sessionNeedsLogin(_ session: Session) async throws {
        await cache.removeAll(for: session.id)
    }

    /// Removes the session's responses.
    public func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        await cache.removeAll(for: session.id)
    }
}
