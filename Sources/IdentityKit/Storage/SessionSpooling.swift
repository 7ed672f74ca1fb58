/// A store with a spool: a local directory that keeps new tokens, or a response that contains them, while the store cannot save them.
///
/// If the store does not save the new tokens of a refresh, or the response that contains them, ``SessionManager`` writes the session with
/// them to the spool, and removes it from the spool after the store has saved them. The spool must encrypt what it writes, and keeps at
/// most one session for each id.
public protocol SessionSpooling: Sendable {
    /// Writes a session that could not be saved; it replaces an earlier spooled session with the same id.
    ///
    /// When the method returns, the spooled session survives a crash.
    func spool(_ session: StoredSession) async throws

    /// Returns the spooled session with an id; nil if the spool contains none.
    func spooledSession(_ id: SessionID) async throws -> StoredSession?

    /// Returns the sessions in the spool, in any order.
    ///
    /// Unreadable files are omitted and not changed.
    func spooledSessions() async throws -> [StoredSession]

    /// Removes the spooled session with an id.
    func removeSpooledSession(_ id: SessionID) async throws
}

/// A store type whose stores may have no spool.
package protocol OptionalSpooling: SessionSpooling {
    /// Whether this store has a spool.
    ///
    /// If the store has no spool, ``SessionManager`` calls no method of ``SessionSpooling``, so that observers get no errors about a
    /// missing spool.
    var hasSpool: Bool { get }
}
