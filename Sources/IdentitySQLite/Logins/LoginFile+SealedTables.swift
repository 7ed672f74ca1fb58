internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit

extension LoginFile: SealedTables {
    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow] {
        guard kind == .loginAttempt else { return [] }
        return try await use { table in
            try table.entries().map { (key: StoreRecords.rowKey($0.hash), entry: $0) }
                .filter { $0.key > key }.sorted { $0.key < $1.key }.prefix(limit)
                .map { StoredRow(key: $0.key, row: .loginAttempt(try table.row($0.entry))) }
        }
    }

    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int {
        try await use { table in
            var replaced = 0
            for case (.loginAttempt(var row), let record) in zip(rows.map(\.row), records) {
                guard try table.contains(row) else { continue }
                row.record = record
                if try table.insert(row, maximum: .max) { replaced += 1 }
            }
            return replaced
        }
    }

    /// Copies the rows into the table `quarantine` of the database, then removes them from the file.
    ///
    /// If another call changes a row between the copy and the removal, the row stays in the file, and the copy in the table. After the row
    /// was removed, ``SQLiteStore/takeLoginAttempt(_:after:)`` fails with `store_corrupt` for this login until a sweep removes the copy.
    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int {
        let current = try await use { table in
            try zip(rows, reasons).compactMap { row, reason -> (row: SealedLoginAttempt, reason: IdentityError)? in
                guard case .loginAttempt(let row) = row.row, try table.contains(row) else { return nil }
                return (row, reason)
            }
        }
        try await database.write { [now = database.queue.clock.now] connection in
            for (row, reason) in current {
                _ = try connection.run(
                    .addQuarantinedAttempt,
                    .text(reason.message),
                    .date(now),
                    .key(row.hash),
                    .bytes(row.hash),
                    .text(row.tenant),
                    .date(row.expiresAt),
                    .bytes(row.record)
                )
            }
        }
        return try await use { table in
            var removed = 0
            for (row, _) in current where try table.contains(row) {
                try table.remove(row.hash)
                removed += 1
            }
            return removed
        }
    }
}
