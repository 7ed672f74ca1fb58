internal import IdentityKit
public import IdentityStoreKit

extension PostgresStore: StoreHealthChecking {
    /// Opens every row, and looks at what durability rests on: work for a quiet hour where the store is large.
    ///
    /// The pages of the database are the server's to check (`data_checksums`, `pg_amcheck`).
    ///
    /// - Throws: `IdentityError` when the store cannot be read far enough to check it.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        if try await client.read(sql.fsync).first?.text(0) != "on" {
            health.problems.append("The server runs with fsync off: commits do not survive the loss of power.")
        }
        health.sessions = try await count(.session, &health)
        health.loginAttempts = try await count(.loginAttempt, &health)
        health.attachments = try await count(.attachment, &health)
        health.quarantinedRows = Int(try await client.read(sql.countQuarantined).first?.integer(0) ?? 0)
        health.unsettledSessions = Int(try await client.read(sql.countUnsettled).first?.integer(0) ?? 0)
        health.spooledSessions = try await spool?.count() ?? 0
        return health
    }

    private func count(_ table: Statements.SlotTable, _ health: inout StoreHealth) async throws -> Int {
        var total = 0
        var last: Int64 = -1
        while true {
            let rows = try await slots(table, after: last)
            for row in rows {
                if row.isUnderReadOnlyKey(of: records.sealer.keys) { health.rowsUnderReadOnlyKeys += 1 }
                guard let failure = try failure(toOpen: row) else { continue }
                if failure.code == .storeKeyMismatch { health.rowsWithoutKey += 1 } else { health.damagedRows += 1 }
            }
            total += rows.count
            guard rows.count == listChunk, let key = rows.last?.key else { return total }
            last = key
        }
    }

    func slots(_ table: Statements.SlotTable, after key: Int64) async throws -> [SlotRow] {
        let rows = try await client.read(sql.listSlots(table), .integer(key), .integer(Int64(listChunk)))
        return rows.all.map { SlotRow($0, table) }
    }

    /// Why a row cannot be opened; nil when it can.
    ///
    /// - Throws: An error that is not about this row.
    func failure(toOpen row: SlotRow) throws(IdentityError) -> IdentityError? {
        // A row found under another key than its hash gives was moved, or its hash was changed.
        guard rowKey(row.identity.row) == row.key else { return .damagedHash }
        do {
            _ = try records.sealer.open(row.slot, as: row.identity)
            return nil
        } catch {
            guard error.concernsRecord else { throw error }
            return error
        }
    }
}

/// A row of any table with a sealed slot.
struct SlotRow: Sendable {
    let key: Int64
    let slot: [UInt8]
    let identity: RecordIdentity
    /// Whether a renewal is under way.
    let isUnsettled: Bool

    init(_ row: Row, _ table: Statements.SlotTable) {
        key = row.integer(0)
        slot = row.bytes(1)
        isUnsettled = row.flag(8)
        let kind: RecordIdentity.Kind =
            switch table {
            case .session: .session
            case .loginAttempt: .loginAttempt
            case .attachment: .attachment
            }
        identity = RecordIdentity(
            kind,
            row: row.bytes(2),
            tenant: row.text(5),
            provider: row.text(6),
            issuer: row.text(7),
            buyer: row.bytes(4),
            generation: row.integer(3)
        )
    }

    func isUnderReadOnlyKey(of keys: KeyRing) -> Bool {
        guard let key = RecordSealer.keyIdentifier(of: slot) else { return false }
        return !key.elementsEqual(keys.active.identifier) && keys.key(key) != nil
    }
}
