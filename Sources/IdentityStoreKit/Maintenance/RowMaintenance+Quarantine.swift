internal import IdentityKit

extension RowMaintenance {
    /// Moves every damaged row into quarantine, and returns the number of moved rows.
    public func quarantineDamagedRows() async throws -> Int {
        var moved = 0
        // Attachments are moved first. Otherwise a store that moves a damaged session together with its attachments would record the reason
        // of the session, and not the reason of a damaged attachment.
        for kind in SealedRow.Kind.allCases.reversed() {
            try await forEachChunk(of: kind) { rows in
                let damaged = try rows.compactMap { row in
                    try failure(toOpen: row).flatMap { $0.code == .storeCorrupt ? (row: row, reason: $0) : nil }
                }
                if damaged.isEmpty { return }
                moved += try await tables.quarantine(damaged.map(\.row), reasons: damaged.map(\.reason))
            }
        }
        return moved
    }
}
