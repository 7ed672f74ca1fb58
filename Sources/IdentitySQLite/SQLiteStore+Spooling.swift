public import IdentityKit

extension SQLiteStore: SessionSpooling {
    /// Writes a session to a file in the spool `<path>.spool`, encrypted like its row.
    ///
    /// - Throws: `IdentityError`, for example with code `store_full`, `store_read_only` or `store_record_too_large`.
    public func spool(_ session: StoredSession) async throws {
        try await spool.keep(session)
    }

    /// The session in the spool for an id; nil if the spool does not contain it.
    ///
    /// - Throws: `IdentityError`; with code `store_corrupt` when the file is damaged, and with code `store_key_mismatch` when this process
    ///   does not have the file's key.
    public func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try await spool.session(id)
    }

    /// The sessions in the spool that can be read; throws `IdentityError` if the directory cannot be read.
    public func spooledSessions() async throws -> [StoredSession] {
        try await spool.sessions()
    }

    /// Removes the session with an id from the spool; throws `IdentityError` if the directory cannot be changed.
    public func removeSpooledSession(_ id: SessionID) async throws {
        try await spool.remove(id)
    }
}
