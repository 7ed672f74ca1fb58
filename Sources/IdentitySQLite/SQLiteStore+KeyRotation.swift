internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore: StoreKeyRotating {
    private static let chunk = 512

    /// The keys of this process and of the rows: the active one first, then by id.
    ///
    /// What waits in the spool counts too: it needs its key as well.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        var rows: [[UInt8]: Int] = [:]
        for table in SealedTable.allCases {
            var last: Int64 = -1
            while true {
                let after = last
                let found = try await database.read { connection in
                    try connection.all(table.listKeys, .integer(after), .integer(Int64(Self.chunk))) {
                        (row: $0.integer(0), start: $0.bytes(1))
                    }
                }
                for (_, start) in found {
                    if let key = RecordSealer.keyIdentifier(ofStart: start) { rows[Array(key), default: 0] += 1 }
                }
                guard found.count == Self.chunk, let row = found.last?.row else { break }
                last = row
            }
        }
        for key in try await spool.keyIdentifiers() { rows[key, default: 0] += 1 }
        return usage(of: rows)
    }

    private func usage(of rows: [[UInt8]: Int]) -> [StoreKeyUsage] {
        let active = sealer.keys.active
        let others = Set(rows.keys).union(sealer.keys.readOnly.map(\.identifier)).subtracting([active.identifier])
        return [StoreKeyUsage(id: active.id, role: .active, rows: rows[active.identifier] ?? 0)]
            + others.map { key in
                StoreKeyUsage(
                    id: StoreKey.describe(key),
                    role: sealer.keys.key(key) == nil ? .missing : .readOnly,
                    rows: rows[key] ?? 0
                )
            }
            .sorted { $0.id < $1.id }
    }

    /// Seals the next rows under the active key that are not yet, and tells how it went.
    ///
    /// A row keeps its generation and its length, so this needs no room; one that is saved at the same moment is left alone.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        let place = position ?? ResealPosition(table: 0, row: -1)
        guard let table = SealedTable(rawValue: place.table) else { return ResealProgress() }
        let limit = min(max(1, limit), 1_000)
        let rows = try await rows(of: table, after: place.row, limit: limit)
        var progress = ResealProgress()
        if rows.count == limit, let last = rows.last {
            progress.position = ResealPosition(table: table.rawValue, row: last.key)
        } else if table != SealedTable.allCases.last {
            progress.position = ResealPosition(table: table.rawValue + 1, row: -1)
        }
        var sealed: [(row: SealedRow, slot: [UInt8])] = []
        for row in rows where !isUnderActiveKey(row) {
            if row.isUnsettled {
                progress.postponed += 1
            } else if let slot = try reseal(row) {
                sealed.append((row, slot))
            } else {
                progress.unreadable += 1
            }
        }
        if !sealed.isEmpty {
            progress.resealed = try await database.write { [sealed] connection in
                try sealed.reduce(0) { count, change in
                    try count
                        + connection.run(
                            table.reseal,
                            .integer(change.row.key),
                            .bytes(change.row.slot),
                            .bytes(change.slot)
                        )
                }
            }
            progress.postponed += sealed.count - progress.resealed
        }
        return progress
    }

    private func isUnderActiveKey(_ row: SealedRow) -> Bool {
        RecordSealer.keyIdentifier(of: row.slot)?.elementsEqual(sealer.keys.active.identifier) ?? false
    }

    /// The row's content under the active key; nil when it cannot be opened.
    private func reseal(_ row: SealedRow) throws -> [UInt8]? {
        do {
            return try sealer.seal(Array(open(row)), as: row.identity, atLeast: row.slot.count)
        } catch {
            guard error.concernsRecord else { throw error }
            return nil
        }
    }
}
