public import IdentityKit

/// Removes a session's cached responses when the session ends or needs a new sign-in.
///
/// Add this participant to the session manager, and keep a reference to the participant, because the session manager's reference is weak.
///
/// If another process ends a session, the session's responses stay in this process until the cache needs room. Nobody can read these
/// responses, because the session's id is no longer valid.
public final class CachePurging: SessionParticipant {
    private let cache: any ResponseCache

    /// Creates a participant that removes the responses of a session from `cache`.
    public init(_ cache: any ResponseCache) {
        self.cache = cache
    }

    /// Has no effect: cached responses do not depend on the buyer's token.
    public func sessionRefreshed(_ session: Session) async throws {}

    /// Removes the session's responses, because the buyer's next sign-in begins another session.
    public func sessionNeedsLogin(_ session: Session) async throws {
        await cache.removeAll(for: session.id)
    }

    /// Removes the session's responses.
    public func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        await cache.removeAll(for: session.id)
    }
}
