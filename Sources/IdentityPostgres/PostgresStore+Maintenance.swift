#if PostgreSQL
internal import IdentityKit
public import IdentityStoreKit

extension PostgresStore: RowQuarantining, StoreHealthChecking, StoreKeyRotating {
    var maintenance: RowMaintenance<PostgresSealedTables> {
        RowMaintenance(PostgresSealedTables(client: client, sql: sql), records: records)
    }

    /// Decrypts the rows that are not in quarantine, and checks that the server's setting `fsync` is on.
    ///
    /// In a large store this takes long, so run it when there is little load. This method does not check the pages of the database. Use the
    /// server's `data_checksums` and `pg_amcheck` for that.
    ///
    /// - Throws: `IdentityError` when the check cannot run, for example because the database or the spool cannot be read.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        if try await client.read(sql.fsync).first?.text(0) != "on" {
            health.problems.append("The server runs with fsync off: commits may not survive a loss of power.")
        }
        try await maintenance.checkRows(for: &health)
        health.quarantinedRows = Int(try await client.read(sql.countQuarantined).first?.integer(0) ?? 0)
        health.spooledSessions = try await spool?.count() ?? 0
        return health
    }

    /// Moves every damaged row into quarantine, and returns how many rows it moved.
    ///
    /// The attachments of a damaged session are moved with it and count too. `Documentation/Operating/PostgreSQL.md` contains the
    /// statements that put a row back after the cause was repaired.
    ///
    /// - Throws: `IdentityError`, for example with code `store_unavailable`. Rows that were moved before the error stay in quarantine.
    public func quarantineDamagedRows() async throws -> Int {
        try await maintenance.quarantineDamagedRows()
    }

    /// Looks up a row; throws `store_corrupt` if the row is in quarantine.
    func find(_ statement: Statement, _ hash: [UInt8], _ kind: SealedRow.Kind) async throws -> Row? {
        if let row = try await client.find(statement, .key(hash)).first { return row }
        return try await isPutBack(hash, kind) ? client.find(statement, .key(hash)).first : nil
    }

    /// Whether a row that an earlier look-up did not find is now in its table, because an operator has put it back from quarantine.
    ///
    /// Throws if the row is only in quarantine: the store must report the row as damaged, not as missing.
    func isPutBack(_ hash: [UInt8], _ kind: SealedRow.Kind) async throws -> Bool {
        let found = try await client.read(sql.location(of: kind), .key(hash), .bytes(hash)).first
        if found?.flag(0) == true { return true }
        if found?.flag(1) == true { throw IdentityError.quarantined }
        return false
    }

    /// The keys of this process and all other keys with which rows are encrypted: first the active key, then the others by id.
    ///
    /// Sessions in the spool of this machine count too. Rows in quarantine do not count, although they stay encrypted with their keys.
    ///
    /// - Throws: `IdentityError` when the database or the spool cannot be read, for example with code `store_unavailable`.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        try await records.keyUsage(others: spool?.keyIDs() ?? []) { kind, after in
            try await client.read(sql.countByKey(kind), .integer(after), .integer(4_096)).all.map {
                (start: $0.bytes(0), rows: Int($0.integer(1)), key: $0.integer(2))
            }
        }
    }

    /// Encrypts the next rows again with the active key, except rows that already use this key or cannot be opened.
    ///
    /// Two kinds of rows are not changed, and count as postponed: sessions with a refresh in progress or in doubt, and rows that another
    /// call saves or removes during this step.
    ///
    /// - Throws: `IdentityError`, for example with code `store_unavailable`; a step that fails with kind `retryLater` can be repeated.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        try await maintenance.resealRows(after: position, limit: limit)
    }
}
#endif
