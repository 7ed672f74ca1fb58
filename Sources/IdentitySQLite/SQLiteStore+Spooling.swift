public import IdentityKit

extension SQLiteStore: SessionSpooling {
    /// Keeps a session in the spool `<path>.spool`, in a file that is sealed like its row.
    public func spool(_ session: StoredSession) async throws {
        try await spool.keep(session)
    }

    /// The session in the spool for an id; nil if the spool does not contain it.
    public func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try await spool.session(id)
    }

    /// The sessions in the spool.
    public func spooledSessions() async throws -> [StoredSession] {
        try await spool.sessions()
    }

    /// Removes the session that is kept for an id.
    public func removeSpooledSession(_ id: SessionID) async throws {
        try await spool.remove(id)
    }
}
