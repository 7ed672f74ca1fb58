public import IdentityKit

extension SQLiteStore: SessionSpooling {
    /// Keeps a session in the directory `<path>.spool`, in a file sealed like its row.
    public func spool(_ session: StoredSession) async throws {
        try await spool.keep(session)
    }

    /// What is kept for a session, or nil.
    public func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try await spool.session(id)
    }

    /// The sessions for which something is kept.
    public func spooledSessions() async throws -> [StoredSession] {
        try await spool.sessions()
    }

    /// Forgets what is kept for a session.
    public func removeSpooledSession(_ id: SessionID) async throws {
        try await spool.remove(id)
    }
}
