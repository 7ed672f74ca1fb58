internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore: StoreHealthChecking {
    private static let chunk = 128

    /// Checks the whole file and opens every row: work for a quiet hour where the store is large.
    ///
    /// - Throws: `IdentityError` when the file cannot be read far enough to check it.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        let lines = try await database.read { try $0.texts("PRAGMA integrity_check(100)") }
        health.problems = lines == ["ok"] ? [] : lines
        for table in SealedTable.allCases {
            try await forEachChunk(of: table) { rows in
                for row in rows { try note(row, of: table, in: &health) }
            }
        }
        health.quarantinedRows = try await database.read { try $0.first(.countQuarantined) { Int($0.integer(0)) } ?? 0 }
        health.spooledSessions = try await spool.count()
        return health
    }

    private func note(_ row: SealedRow, of table: SealedTable, in health: inout StoreHealth) throws {
        switch table {
        case .session: health.sessions += 1
        case .loginAttempt: health.loginAttempts += 1
        case .attachment: health.attachments += 1
        }
        if row.isUnsettled { health.unsettledSessions += 1 }
        if let key = RecordSealer.keyIdentifier(of: row.slot),
            !key.elementsEqual(sealer.keys.active.identifier),
            sealer.keys.key(key) != nil
        {
            health.rowsUnderReadOnlyKeys += 1
        }
        guard let failure = try failure(toOpen: row) else { return }
        if failure.code == .storeKeyMismatch { health.rowsWithoutKey += 1 } else { health.damagedRows += 1 }
    }

    /// Hands over every sealed row of a table, some at a time, so that others get their turn.
    func forEachChunk(of table: SealedTable, _ body: ([SealedRow]) async throws -> Void) async throws {
        var last: Int64 = -1
        while true {
            let rows = try await rows(of: table, after: last, limit: Self.chunk)
            try await body(rows)
            guard rows.count == Self.chunk, let key = rows.last?.key else { return }
            last = key
        }
    }

    func rows(of table: SealedTable, after key: Int64, limit: Int) async throws -> [SealedRow] {
        try await database.read { connection in
            try connection.all(table.list, .integer(key), .integer(Int64(limit))) { SealedRow($0, of: table) }
        }
    }

    /// Opens a row that was found by going through a table.
    func open(_ row: SealedRow) throws(IdentityError) -> ArraySlice<UInt8> {
        // A row found under another key than its hash gives was moved.
        guard Self.key(row.identity.row) == row.key else {
            throw IdentityError.storeCorrupt("A row stands under the key of another.")
        }
        return try sealer.open(row.slot, as: row.identity)
    }

    /// Why a row cannot be opened; nil when it can.
    ///
    /// - Throws: An error that is not about this row.
    func failure(toOpen row: SealedRow) throws(IdentityError) -> IdentityError? {
        do {
            _ = try open(row)
            return nil
        } catch {
            guard error.concernsRecord else { throw error }
            return error
        }
    }
}
