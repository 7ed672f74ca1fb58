internal import IdentityKit

extension SQLiteStore {
    /// What a health check found.
    public struct Health: Sendable {
        /// What SQLite's integrity check reports, at most 100 lines; empty for a sound file.
        public var problems: [String] = []
        /// How many sessions are stored.
        public var sessions = 0
        /// How many pending logins are stored.
        public var loginAttempts = 0
        /// How many things are attached to sessions.
        public var attachments = 0
        /// How many of all these rows are damaged, or were moved or sealed elsewhere.
        public var damagedRows = 0
        /// How many rows were sealed under a key that this process does not have.
        public var rowsWithoutKey = 0
        /// How many rows are still sealed under a read-only key.
        public var rowsUnderReadOnlyKeys = 0

        /// Whether nothing is wrong.
        public var isSound: Bool { problems.isEmpty && damagedRows == 0 && rowsWithoutKey == 0 }
    }

    /// Checks the whole file and opens every row: work for a quiet hour where the store is large.
    ///
    /// - Throws: `IdentityError` when the file cannot be read far enough to check it.
    public func checkHealth() async throws -> Health {
        var health = Health()
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
        _ health: inout Health,
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
