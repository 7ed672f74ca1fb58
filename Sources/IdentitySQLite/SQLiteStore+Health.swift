public import IdentityKit

extension SQLiteStore: StoreHealthChecking {
    /// Checks the whole file and opens every row: work for a quiet hour where the store is large.
    ///
    /// - Throws: `IdentityError` when the file cannot be read far enough to check it.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        let lines = try await database.read { try $0.texts("PRAGMA integrity_check(100)") }
        health.problems = lines == ["ok"] ? [] : lines
        health.sessions = try await count(.listSessionSlots, &health) { statement in
            RecordIdentity(
                .session,
                row: statement.bytes(2),
                tenant: statement.text(5),
                provider: statement.text(6),
                issuer: statement.text(7),
                buyer: statement.bytes(4),
                generation: statement.integer(3)
            )
        }
        health.loginAttempts = try await count(.listAttemptSlots, &health) {
            RecordIdentity(.loginAttempt, row: $0.bytes(2))
        }
        health.attachments = try await count(.listAttachmentSlots, &health) {
            RecordIdentity(.attachment, row: $0.bytes(2), generation: $0.integer(3))
        }
        return health
    }

    private func count(
        _ query: Query,
        _ health: inout StoreHealth,
        identity: @escaping @Sendable (Statement) -> RecordIdentity
    ) async throws -> Int {
        let chunk = 128
        var total = 0
        var last: Int64 = -1
        while true {
            let after = last
            let rows = try await database.read { connection in
                try connection.all(query, .integer(after), .integer(Int64(chunk))) {
                    (key: $0.integer(0), slot: $0.bytes(1), identity: identity($0))
                }
            }
            for row in rows {
                if let key = RecordSealer.keyIdentifier(of: row.slot),
                    !key.elementsEqual(sealer.keys.active.identifier),
                    sealer.keys.key(key) != nil
                {
                    health.rowsUnderReadOnlyKeys += 1
                }
                do {
                    // A row found under another key than its hash gives was moved.
                    guard Self.key(row.identity.row) == row.key else { throw IdentityError.storeCorrupt("") }
                    _ = try sealer.open(row.slot, as: row.identity)
                } catch let error as IdentityError where error.code == .storeKeyMismatch {
                    health.rowsWithoutKey += 1
                } catch {
                    health.damagedRows += 1
                }
            }
            total += rows.count
            guard rows.count == chunk, let key = rows.last?.key else { return total }
            last = key
        }
    }
}
