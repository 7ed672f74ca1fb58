internal import FoundationEssentials
internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore: RowQuarantining {
    /// How long a row stays in quarantine before a sweep removes it.
    static let quarantineTime: TimeInterval = 30 * 86_400

    /// Moves every row that is damaged into quarantine.
    ///
    /// The row stands there with all its columns, so that it can be put back when its cause is found: `Documentation/Operating/SQLite.md`
    /// shows how.
    public func quarantineDamagedRows() async throws -> Int {
        var moved = 0
        for table in SealedTable.allCases {
            try await forEachChunk(of: table) { rows in
                let damaged = try rows.compactMap { row -> (row: SealedRow, reason: String)? in
                    guard let failure = try failure(toOpen: row), failure.code == .storeCorrupt else { return nil }
                    return (row, failure.message)
                }
                if !damaged.isEmpty { moved += try await quarantine(damaged, of: table) }
            }
        }
        return moved
    }

    private func quarantine(
        _ damaged: [(row: SealedRow, reason: String)],
        of table: SealedTable
    ) async throws -> Int {
        try await database.write { [now = clock.now] connection in
            var moved = 0
            for (row, reason) in damaged {
                let copied = try connection.run(
                    table.quarantine,
                    .integer(row.key),
                    .text(reason),
                    .date(now),
                    .bytes(row.slot)
                )
                // Whoever saved it in the meantime has repaired it.
                guard copied == 1 else { continue }
                moved += try connection.run(table.delete, .integer(row.key))
            }
            return moved
        }
    }

    /// Fails when a row that was looked for in vain is in quarantine: it is not unknown.
    static func refuseQuarantined(_ table: SealedTable, _ hash: [UInt8], _ connection: Connection) throws {
        let found = try connection.first(
            .isQuarantined,
            .key(hash),
            .bytes(hash),
            .bytes(Array(table.name.utf8))
        ) { _ in true }
        if found != nil { throw quarantined }
    }

    /// A row that is asked for is in quarantine.
    static var quarantined: IdentityError {
        IdentityError(
            .configuration,
            .storeCorrupt,
            "A stored record is damaged and was moved into quarantine.",
            hint: "Put the row back from the quarantine or a backup, or let the buyer sign in again."
        )
    }
}
