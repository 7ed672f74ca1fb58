#if PostgreSQL
internal import IdentityKit
internal import IdentityStoreKit

struct PostgresSealedTables: SealedTables {
    /// Rolls back the move of a row to quarantine, because another call has saved or removed the row.
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
