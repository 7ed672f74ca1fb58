#if PostgreSQL
public import IdentityKit

extension PostgresStore: OptionalSpooling {
    package var hasSpool: Bool { spool != nil }
}

extension PostgresStore: SessionSpooling {
    /// Writes a session to a file in the spool, encrypted like its row.
    ///
    /// - Throws: `IdentityError`; with code `configuration_invalid` when no spool is configured, and for example with code `store_full`,
    ///   `store_read_only` or `store_record_too_large` when the file cannot be written.
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
    ///
    /// - Throws: `IdentityError`; with code `store_corrupt` when the file is damaged, and with code `store_key_mismatch` when this process
    ///   does not have the file's key.
    public func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try await spool?.session(id)
    }

    /// The sessions in the spool of this machine that can be read; throws `IdentityError` if the directory cannot be read.
    public func spooledSessions() async throws -> [StoredSession] {
        try await spool?.sessions() ?? []
    }

    /// Removes the session with an id from the spool; throws `IdentityError` if the directory cannot be changed.
    public func removeSpooledSession(_ id: SessionID) async throws {
        try await spool?.remove(id)
    }
}
#endif
