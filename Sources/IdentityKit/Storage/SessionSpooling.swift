/// A store with a spool: a local directory that keeps new tokens while the store is down.
///
/// New tokens exist nowhere else. When the store has failed for a while, ``SessionManager`` puts them into the spool, durably and sealed, until
/// they can be saved. The spool keeps at most one session for an id.
public protocol SessionSpooling: Sendable {
    /// Keeps a session that could not be saved, and replaces the one that was kept for its id before.
    ///
    /// The session survives a crash when this returns.
    func spool(_ session: StoredSession) async throws

    /// The session that is kept for an id, or nil.
    func spooledSession(_ id: SessionID) async throws -> StoredSession?

    /// The sessions in the spool, in no order. Files that cannot be read are left out and left as they are.
    func spooledSessions() async throws -> [StoredSession]

    /// Removes the session that is kept for an id.
    func removeSpooledSession(_ id: SessionID) async throws
}
