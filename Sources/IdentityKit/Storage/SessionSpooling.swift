/// A store with a spool: a local directory that keeps new tokens, or a response that contains them, while the store cannot save them.
///
/// If the store does not save the result of a refresh, ``SessionManager`` writes the session with this result to the spool, and removes it
/// after the store has saved the result. The spool must encrypt the sessions, and keeps at most one session for each id.
public protocol SessionSpooling: Sendable {
    /// Writes a session that could not be saved, and replaces an earlier spooled session with the same id.
    ///
    /// When the method returns, the spooled session survives a crash.
    func spool(_ session: StoredSession) async throws

    /// Returns the spooled session with an id; nil if the spool does not contain it.
    func spooledSession(_ id: SessionID) async throws -> StoredSession?

    /// Returns the sessions in the spool, in any order.
    ///
    /// Unreadable files are omitted and not changed.
    func spooledSessions() async throws -> [StoredSession]

    /// Removes the spooled session with an id.
    func removeSpooledSession(_ id: SessionID) async throws
}

/// A store that may have a spool or not, depending on its configuration.
package protocol OptionalSpooling: SessionSpooling {
    /// If false, ``SessionManager`` calls no method of ``SessionSpooling``, so that observers get no errors about the spool.
    var hasSpool: Bool { get }
}
