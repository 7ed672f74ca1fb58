/// A store with a spool: a local directory that keeps new tokens while the store is down.
///
/// After a refresh, the new tokens exist nowhere else. If the store fails for some seconds, ``SessionManager`` writes the tokens to the
/// spool (`UnsavedTokens.swift`), durably and sealed, until they can be saved. The spool keeps at most one session for an id.
public protocol SessionSpooling: Sendable {
    /// Writes a session that could not be saved, in place of an earlier one with the same id.
    ///
    /// The session survives a crash when this returns.
    func spool(_ session: StoredSession) async throws

    /// Returns the spooled session with an id; nil if no such session was spooled.
    func spooledSession(_ id: SessionID) async throws -> StoredSession?

    /// Returns the sessions in the spool, in no order. Unreadable files are omitted and not changed.
    func spooledSessions() async throws -> [StoredSession]

    /// Removes the spooled session with an id.
    func removeSpooledSession(_ id: SessionID) async throws
}

/// A store type whose stores may have no spool.
package protocol OptionalSpooling: SessionSpooling {
    /// Whether this store has a spool.
    ///
    /// If not, every ``SessionSpooling/spool(_:)`` throws, and there is nothing else to report.
    var hasSpool: Bool { get }
}
