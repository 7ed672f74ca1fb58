/// A store that has a second place for tokens that its first place does not take.
///
/// New tokens exist nowhere else: when a store has failed for a while, they are put here, durably and sealed, until they can be
/// saved. At most one session is kept for an id.
public protocol SessionSpooling: Sendable {
    /// Keeps a session that could not be saved, in place of what was kept for it before.
    ///
    /// Once this returns it survives a crash.
    func spool(_ session: StoredSession) async throws

    /// What is kept for a session, or nil.
    func spooledSession(_ id: SessionID) async throws -> StoredSession?

    /// The sessions for which something is kept, in no order; what cannot be read is left out and left alone.
    func spooledSessions() async throws -> [StoredSession]

    /// Forgets what is kept for a session.
    func removeSpooledSession(_ id: SessionID) async throws
}
