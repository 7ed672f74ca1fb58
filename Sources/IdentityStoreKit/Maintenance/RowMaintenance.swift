internal import IdentityKit

/// Health check, quarantine and key rotation (``resealRows(after:limit:)``) for the tables of a store.
///
/// ```swift
/// extension MyStore: RowQuarantining {
///     func quarantineDamagedRows() async throws -> Int {
///         try await RowMaintenance(tables, records: records).quarantineDamagedRows()
///     }
/// }
/// ```
public struct RowMaintenance<Tables: SealedTables>: Sendable {
    let tables: Tables
    let records: StoreRecords

    /// Creates a value that maintains the rows of these tables.
    public init(_ tables: Tables, records: StoreRecords) {
        self.tables = tables
        self.records = records
    }

    /// Decrypts every row and adds the results to a report.
    public func checkRows(for health: inout StoreHealth) async throws {
        for kind in SealedRow.Kind.allCases {
            try await forEachChunk(of: kind) { rows in
                for row in rows { try note(row, in: &health) }
            }
        }
    }

    private func note(_ stored: StoredRow, in health: inout StoreHealth) throws {
        switch stored.row.kind {
        case .session: health.sessions += 1
        case .loginAttempt: health.loginAttempts += 1
        case .attachment: health.attachments += 1
        }
        if stored.row.isInDoubt { health.sessionsInDoubt += 1 }
        let failure = try failure(toOpen: stored)
        if failure?.code == .storeKeyMismatch {
            health.rowsWithoutKey += 1
        } else if failure != nil {
            health.damagedRows += 1
        } else if !records.isUnderActiveKey(stored.row.record) {
            health.rowsUnderReadOnlyKeys += 1
        }
    }

    func forEachChunk(of kind: SealedRow.Kind, _ body: ([StoredRow]) async throws -> Void) async throws {
        var last: Int64 = -1
        while true {
            let rows = try await tables.rows(of: kind, after: last, limit: records.chunk)
            try await body(rows)
            guard rows.count == records.chunk, let key = rows.last?.key else { return }
            last = key
        }
    }

    /// The reason why a row cannot be opened; nil if it can be opened.
    ///
    /// If OpenSSL fails, for example because memory is exhausted, the failure says nothing about the row. So this method throws the error.
    func failure(toOpen stored: StoredRow) throws(IdentityError) -> IdentityError? {
        guard StoreRecords.rowKey(stored.row.hash) == stored.key else {
            return .damagedRecord("its row key does not match its hash")
        }
        do {
            try records.check(stored.row)
            return nil
        } catch {
            guard error.concernsRecord else { throw error }
            return error
        }
    }
}
