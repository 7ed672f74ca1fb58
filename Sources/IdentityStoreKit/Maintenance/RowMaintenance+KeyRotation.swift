internal import IdentityKit

extension RowMaintenance {
    /// Encrypts the next rows again with the active key, as ``StoreKeyRotating/resealRows(after:limit:)`` describes.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        let start = position ?? ResealPosition(table: 0, row: -1)
        guard let kind = SealedRow.Kind(rawValue: start.table) else { return ResealProgress() }
        let limit = min(max(1, limit), records.chunk)
        let rows = try await tables.rows(of: kind, after: start.row, limit: limit)
        var progress = ResealProgress()
        if rows.count == limit, let last = rows.last {
            progress.position = ResealPosition(table: start.table, row: last.key)
        } else if SealedRow.Kind(rawValue: start.table + 1) != nil {
            progress.position = ResealPosition(table: start.table + 1, row: -1)
        }
        var resealed: [(row: StoredRow, record: [UInt8])] = []
        for stored in rows where !records.isUnderActiveKey(stored.row.record) {
            if try failure(toOpen: stored) != nil {
                progress.unreadable += 1
            } else if stored.row.isInDoubt {
                progress.postponed += 1
            } else {
                resealed.append((stored, try records.reseal(stored.row)))
            }
        }
        if !resealed.isEmpty {
            progress.resealed = try await tables.replace(resealed.map(\.row), with: resealed.map(\.record))
            progress.postponed += resealed.count - progress.resealed
        }
        return progress
    }
}
