internal import IdentityKit
public import IdentityStoreKit

extension PostgresStore: RowQuarantining {
    /// Moves every damaged row into quarantine.
    ///
    /// What is attached to a damaged session goes with it and counts too.
    public func quarantineDamagedRows() async throws -> Int {
        var total = 0
        // Attachments first: those of a damaged session then only go with it if they are sound.
        for table in [Statements.SlotTable.attachment, .loginAttempt, .session] {
            var last: Int64 = -1
            while true {
                let rows = try await slots(table, after: last)
                for row in rows where try failure(toOpen: row)?.code == .storeCorrupt {
                    total += try await quarantine(row, table)
                }
                guard rows.count == listChunk, let key = rows.last?.key else { break }
                last = key
            }
        }
        return total
    }

    private func quarantine(_ row: SlotRow, _ table: Statements.SlotTable) async throws -> Int {
        try await client.repeating { deadline, _ in
            try await client.transaction(by: deadline) { transaction in
                var moved = 0
                if table == .session {
                    moved += try await transaction.run(sql.quarantineAttachmentsOfSession, .integer(row.key)).changed
                }
                let session = try await transaction.run(
                    sql.quarantine(table),
                    .integer(row.key),
                    .integer(row.identity.generation),
                    .bytes(row.slot)
                )
                // Saved anew in the meantime: then nothing is to be moved.
                guard session.changed == 1 else { throw Unchanged() }
                return moved + 1
            }
        } orUnchanged: {
            0
        }
    }
}

/// Rolls a transaction back in which nothing was to be done.
struct Unchanged: Error {}

extension Client {
    fileprivate func repeating<R>(
        _ body: (ContinuousClock.Instant, Bool) async throws -> R,
        orUnchanged fallback: () -> R
    ) async throws -> R {
        do {
            return try await repeating(for: nil, body)
        } catch is Unchanged {
            return fallback()
        }
    }
}
