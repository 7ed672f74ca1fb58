internal import FoundationEssentials
internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore: StoreHealthChecking, RowQuarantining, StoreKeyRotating {
    private var maintenance: RowMaintenance<DatabaseTables> {
        RowMaintenance(DatabaseTables(database: database, clock: clock), records: records)
    }

    /// Checks the whole file and opens every row.
    ///
    /// In a large store this takes long: run it when there is little load.
    ///
    /// - Throws: `IdentityError` when the file cannot be read far enough to check it.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        let lines = try await database.read { try $0.texts("PRAGMA integrity_check(100)") }
        health.problems = lines == ["ok"] ? [] : lines
        try await maintenance.checkRows(for: &health)
        health.quarantinedRows = try await database.read { try $0.first(.countQuarantined) { Int($0.integer(0)) } ?? 0 }
        health.spooledSessions = try await spool.count()
        return health
    }

    /// Moves every damaged row into quarantine.
    ///
    /// The row keeps all its columns there, so that it can be restored when the cause is found:
    /// `Documentation/Operating/SQLite.md` shows how.
    public func quarantineDamagedRows() async throws -> Int {
        try await maintenance.quarantineDamagedRows()
    }

    /// The keys of this process and of the rows: the active key first, then by id.
    ///
    /// Sessions in the spool count too: they need their key as well.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        var counts: [String: Int] = [:]
        for kind in SealedRow.Kind.allCases {
            var last: Int64 = -1
            while true {
                let after = last
                let found = try await database.read { connection in
                    try connection.all(kind.listKeys, .integer(after), .integer(512)) {
                        (row: $0.integer(0), start: $0.bytes(1))
                    }
                }
                for (_, start) in found {
                    if let key = RecordSealer.keyIdentifier(ofStart: start) {
                        counts[StoreKey.describe(key), default: 0] += 1
                    }
                }
                guard found.count == 512, let row = found.last?.row else { break }
                last = row
            }
        }
        for key in try await spool.keyIDs() { counts[key, default: 0] += 1 }
        return records.keyUsage(counts)
    }

    /// Encrypts the next rows with the active key, if they are encrypted with another one, and returns the numbers of rows.
    ///
    /// A row keeps its generation and its length, so this needs no space. A row that is saved concurrently is skipped.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        try await maintenance.resealRows(after: position, limit: limit)
    }
}

/// The tables for health check, quarantine and key rotation.
private struct DatabaseTables: SealedTables {
    let database: Database
    let clock: any IdentityClock

    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow] {
        try await database.read { connection in
            try connection.all(kind.list, .integer(key), .integer(Int64(limit))) { StoredRow($0, of: kind) }
        }
    }

    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int {
        try await database.write { connection in
            try zip(rows, records).reduce(0) { count, change in
                let (row, record) = change
                let values: (Value, Value) = (.bytes(row.row.record), .bytes(record))
                return count + (try connection.run(row.row.kind.reseal, .integer(row.key), values.0, values.1))
            }
        }
    }

    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int {
        try await database.write { [now = clock.now] connection in
            var moved = 0
            for (row, reason) in zip(rows, reasons) {
                let copied = try connection.run(
                    row.row.kind.quarantine,
                    .integer(row.key),
                    .text(reason.message),
                    .date(now),
                    .bytes(row.row.record)
                )
                // A row that was saved in the meantime is repaired.
                guard copied == 1 else { continue }
                moved += try connection.run(row.row.kind.delete, .integer(row.key))
            }
            return moved
        }
    }
}

extension Connection {
    /// Whether a row of this hash is in quarantine.
    func isQuarantined(_ hash: [UInt8], _ kind: SealedRow.Kind) throws -> Bool {
        try first(.isQuarantined, .key(hash), .bytes(hash), .text(kind.table)) { _ in true } != nil
    }

    /// Throws if a row that was not found is in quarantine, because such a session is not unknown.
    func refuseQuarantined(_ hash: [UInt8], _ kind: SealedRow.Kind) throws {
        if try isQuarantined(hash, kind) { throw IdentityError.quarantined }
    }
}
