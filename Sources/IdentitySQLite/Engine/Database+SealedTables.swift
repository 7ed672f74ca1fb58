internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit

extension Database: SealedTables {
    nonisolated func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow] {
        try await read { connection in
            try connection.all(kind.list, .integer(key), .integer(Int64(limit))) { StoredRow($0, of: kind) }
        }
    }

    nonisolated func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int {
        try await write { connection in
            var replaced = 0
            for (row, record) in zip(rows, records) {
                let query = row.row.kind.reseal
                replaced += try connection.run(query, .integer(row.key), .bytes(row.row.record), .bytes(record))
            }
            return replaced
        }
    }

    nonisolated func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int {
        try await write { [now = queue.clock.now] connection in
            var moved = 0
            for (row, reason) in zip(rows, reasons) {
                let (kind, record) = (row.row.kind, row.row.record)
                // If no row was copied, another call has changed or removed the damaged record since it was read.
                guard try connection.copyToQuarantine(kind, row.key, record, reason, at: now) else { continue }
                moved += try connection.run(kind.delete, .integer(row.key))
            }
            return moved
        }
    }
}
