internal import IdentityKit
public import IdentityStoreKit

extension PostgresStore: StoreKeyRotating {
    /// The keys of this process and of the rows: the active one first, then by id.
    ///
    /// What waits in the spool of this machine counts too.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        var counts: [[UInt8]: Int] = [:]
        for table in Statements.SlotTable.allCases {
            var last: Int64 = -1
            while true {
                let rows = try await client.read(sql.countByKey(table), .integer(last), .integer(4_096)).all
                for row in rows { counts[row.bytes(0), default: 0] += Int(row.integer(1)) }
                guard let end = rows.map({ $0.integer(2) }).max() else { break }
                last = end
            }
        }
        for key in try await spool?.keyIdentifiers() ?? [] { counts[key, default: 0] += 1 }
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
        guard let table = Statements.SlotTable(rawValue: start.table) else { return ResealProgress() }
        let count = max(1, min(limit, listChunk))
        let rows = try await client.read(sql.listSlots(table), .integer(start.row), .integer(Int64(count)))
            .all.map { SlotRow($0, table) }
        var progress = ResealProgress()
        let active = records.sealer.keys.active.identifier
        for row in rows where RecordSealer.keyIdentifier(of: row.slot)?.elementsEqual(active) != true {
            try await reseal(row, table, &progress)
        }
        if rows.count == count, let last = rows.last {
            progress.position = ResealPosition(table: start.table, row: last.key)
        } else if table != Statements.SlotTable.allCases.last {
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
            guard error.concernsRecord else { throw error }
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
