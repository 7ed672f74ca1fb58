#if PostgreSQL
public import IdentityKit

extension PostgresStore: OptionalSpooling {
    package var hasSpool: Bool { spool != nil }
}

extension PostgresStore: SessionSpooling {
    /// Writes a session to a file in the spool, encrypted like its row.
    ///
    /// - Throws: `configuration_invalid` when no spool is configured.
    public func spool(_ session: StoredSession) async throws {
        guard let spool else {
            throw IdentityError(
                configuration: "The store has no spool directory.",
                hint:
                    "Set store.spool in the configuration file, or spoolDirectory in the app, to a directory of this machine."
            )
        }
        try await spool.keep(session)
    }

    /// The session in the spool for an id; nil if the spool does not contain it.
    public func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try await spool?.session(id)
    }

    /// The sessions in the spool of this machine that can be read.
    public func spooledSessions() async throws -> [StoredSession] {
        try await spool?.sessions() ?? []
    }

    /// Removes the session with an id from the spool.
    public func removeSpooledSession(_ id: SessionID) async throws {
        try await spool?.remove(id)
    }
}
#endif
