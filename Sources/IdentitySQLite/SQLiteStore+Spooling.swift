public import IdentityKit

extension SQLiteStore: SessionSpooling {
    /// Writes a session to a file in the spool `<path>.spool`, encrypted like its row.
    public func spool(_ session: StoredSession) async throws {
        try await spool.keep(session)
    }

    /// The session in the spool for an id; nil if the spool does not contain it.
    public func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try await spool.session(id)
    }

    /// The sessions in the spool that can be read.
    public func spooledSessions() async throws -> [StoredSession] {
        try await spool.sessions()
    }

    /// Removes the session with an id from the spool.
    public func removeSpooledSession(_ id: SessionID) async throws {
        try await spool.remove(id)
    }
}
