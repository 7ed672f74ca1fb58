public import IdentityKit

extension PostgresStore: SessionSpooling {
    /// Keeps a session in the directory that the configuration names, in a file sealed like its row.
    ///
    /// - Throws: `configuration_invalid` where none was named.
    public func spool(_ session: StoredSession) async throws {
        guard let spool else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The store has no second place for sessions.",
                hint: "Name a directory for them (`spoolDirectory`)."
            )
        }
        try await spool.keep(session)
    }

    /// What is kept for a session, or nil.
    public func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try await spool?.session(id)
    }

    /// The sessions for which something is kept on this machine.
    public func spooledSessions() async throws -> [StoredSession] {
        try await spool?.sessions() ?? []
    }

    /// Forgets what is kept for a session.
    public func removeSpooledSession(_ id: SessionID) async throws {
        try await spool?.remove(id)
    }
}
