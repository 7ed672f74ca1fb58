public import IdentityKit

extension PostgresStore: StoreKeyRotating {
    /// The order of a rotation: what is short-lived first, which then is out of the way.
    private static let order = [Statements.SlotTable.loginAttempt, .attachment, .session]

    /// The keys of this process and of the rows: the active one first, then by id.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        var counts: [[UInt8]: Int] = [:]
        for table in Statements.SlotTable.allCases {
            for row in try await client.read(sql.countByKey(table)).all {
                counts[row.bytes(0), default: 0] += Int(row.integer(1))
            }
        }
        let ring = records.sealer.keys
        for key in ring.all { counts[key.identifier, default: 0] += 0 }
        return counts.map { identifier, rows in
            let role: StoreKeyUsage.Role =
                identifier == ring.active.identifier ? .active : ring.key(identifier) != nil ? .readOnly : .missing
            return StoreKeyUsage(id: StoreKey.describe(identifier), role: role, rows: rows)
        }
        .sorted { ($0.role == .active ? 0 : 1, $0.id) < ($1.role == .active ? 0 : 1, $1.id) }
    }

    /// Seals the next rows under the active key.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        let start = position ?? ResealPosition(table: 0, row: -1)
        guard Self.order.indices.contains(start.table) else { return ResealProgress() }
        let table = Self.order[start.table]
        let count = max(1, min(limit, listChunk))
        let rows = try await client.read(
            sql.listOldSlots(table),
            .integer(start.row),
            .integer(Int64(count)),
            .bytes(records.sealer.keys.active.identifier)
        ).all.map { SlotRow($0, table) }
        var progress = ResealProgress()
        for row in rows { try await reseal(row, table, &progress) }
        if rows.count == count, let last = rows.last {
            progress.position = ResealPosition(table: start.table, row: last.key)
        } else if start.table + 1 < Self.order.count {
            progress.position = ResealPosition(table: start.table + 1, row: -1)
        }
        return progress
    }

    private func reseal(
        _ row: SlotRow,
        _ table: Statements.SlotTable,
        _ progress: inout ResealProgress
    ) async throws {
        guard !row.isUnsettled else {
            progress.postponed += 1
            return
        }
        let body: ArraySlice<UInt8>
        do {
            body = try records.sealer.open(row.slot, as: row.identity)
        } catch {
            guard [.storeCorrupt, .storeKeyMismatch].contains(error.code) else { throw error }
            progress.unreadable += 1
            return
        }
        let changed = try await client.write(
            sql.resealSlot(table),
            .integer(row.key),
            .integer(row.identity.generation),
            .bytes(row.slot),
            .bytes(try records.sealer.seal(Array(body), as: row.identity))
        )
        if changed == 1 { progress.resealed += 1 } else { progress.postponed += 1 }
    }
}
