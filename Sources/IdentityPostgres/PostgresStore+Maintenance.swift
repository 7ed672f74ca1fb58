#if PostgreSQL
internal import IdentityKit
public import IdentityStoreKit

extension PostgresStore: StoreHealthChecking, RowQuarantining, StoreKeyRotating {
    private var maintenance: RowMaintenance<DatabaseTables> {
        RowMaintenance(DatabaseTables(client: client, sql: sql), records: records)
    }

    /// Opens every row, and checks the server's settings for durability.
    ///
    /// In a large store this takes long: run it when there is little load.
    ///
    /// The server checks the pages of the database (`data_checksums`, `pg_amcheck`).
    ///
    /// - Throws: `IdentityError` when the store cannot be read far enough to check it.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        if try await client.read(sql.fsync).first?.text(0) != "on" {
            health.problems.append("The server runs with fsync off: commits do not survive a loss of power.")
        }
        try await maintenance.checkRows(for: &health)
        health.quarantinedRows = Int(try await client.read(sql.countQuarantined).first?.integer(0) ?? 0)
        health.spooledSessions = try await spool?.count() ?? 0
        return health
    }

    /// Moves every damaged row into quarantine.
    ///
    /// The attachments of a damaged session go with it and count too.
    public func quarantineDamagedRows() async throws -> Int {
        try await maintenance.quarantineDamagedRows()
    }

    /// The keys of this process and of the rows: the active key first, then by id.
    ///
    /// Sessions in the spool of this machine count too.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        var counts: [String: Int] = [:]
        for kind in SealedRow.Kind.allCases {
            var last: Int64 = -1
            while true {
                let rows = try await client.read(sql.countByKey(kind), .integer(last), .integer(4_096)).all
                for row in rows { counts[StoreKey.describe(row.bytes(0)), default: 0] += Int(row.integer(1)) }
                guard let end = rows.map({ $0.integer(2) }).max() else { break }
                last = end
            }
        }
        for key in try await spool?.keyIDs() ?? [] { counts[key, default: 0] += 1 }
        return records.keyUsage(counts)
    }

    /// Encrypts the next rows with the active key, if they are encrypted with another one, and returns the numbers of rows.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        try await maintenance.resealRows(after: position, limit: limit)
    }

    /// Throws if a row that was not found is in quarantine, because such a session is not unknown.
    func refuseQuarantined(_ hash: [UInt8], _ kind: SealedRow.Kind) async throws {
        let found = try await client.read(
            sql.isQuarantined,
            .integer(Int64(kind.rawValue)),
            .key(hash),
            .bytes(hash)
        )
        if !found.isEmpty { throw IdentityError.quarantined }
    }
}

/// The tables for health check, quarantine and key rotation.
private struct DatabaseTables: SealedTables {
    /// Rolls back a transaction whose row was saved in the meantime.
    private struct Changed: Error {}

    let client: Client
    let sql: Statements

    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow] {
        try await client.read(sql.list(kind), .integer(key), .integer(Int64(limit))).all.map { StoredRow($0, of: kind) }
    }

    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int {
        var replaced = 0
        for (stored, record) in zip(rows, records) {
            replaced += try await client.write(
                sql.reseal(stored.row.kind),
                .integer(stored.key),
                .integer(stored.row.generation),
                .bytes(stored.row.record),
                .bytes(record)
            )
        }
        return replaced
    }

    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int {
        var moved = 0
        for row in rows { moved += try await quarantine(row) }
        return moved
    }

    private func quarantine(_ stored: StoredRow) async throws -> Int {
        do {
            return try await client.repeating { deadline, _ in
                try await client.transaction(by: deadline) { transaction in
                    var moved = 1
                    if stored.row.kind == .session {
                        let rows = try await transaction.run(sql.quarantineAttachmentsOfSession, .integer(stored.key))
                        moved += rows.changed
                    }
                    let row = try await transaction.run(
                        sql.quarantine(stored.row.kind),
                        .integer(stored.key),
                        .integer(stored.row.generation),
                        .bytes(stored.row.record)
                    )
                    guard row.changed == 1 else { throw Changed() }
                    return moved
                }
            }
        } catch is Changed {
            return 0
        }
    }
}
#endif
