internal import IdentityKit

extension RowMaintenance {
    /// Moves every damaged row into quarantine; returns how many.
    public func quarantineDamagedRows() async throws -> Int {
        var moved = 0
        // Attachments first: each damaged one is moved with its own reason. A store may move all other attachments of a damaged session
        // together with it.
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
