internal import FoundationEssentials
public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore: LoginAttemptStore {
    /// Adds a pending login.
    public func insert(_ attempt: StoredLoginAttempt) async throws {
        let hash = try lookup.hash(.loginAttempt, Array(attempt.key.utf8))
        var body = FieldWriter(capacity: attempt.payload.count + 64)
        body.append(attempt.key)
        body.append(attempt.expiresAt.timeIntervalSinceReferenceDate.bitPattern)
        body.append(attempt.payload.revealBytes())
        let slot = try sealer.seal(body.bytes, as: RecordIdentity(.loginAttempt, row: hash, tenant: attempt.tenant))
        try await database.write { [maximumAttempts] connection in
            try Self.makeRoom(connection, attempt.tenant, maximumAttempts)
            _ = try connection.run(
                .insertAttempt,
                .key(hash),
                .bytes(hash),
                .date(attempt.expiresAt),
                .bytes(slot),
                .text(attempt.tenant)
            )
        }
    }

    /// Takes a pending login out.
    public func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? {
        let hash = try lookup.hash(.loginAttempt, Array(key.utf8))
        return try await database.write { [self] connection in
            let row = try connection.first(.readAttempt, .key(hash), .bytes(hash)) { statement in
                (slot: statement.bytes(0), tenant: statement.text(1), isIntact: statement.integer(2) == 1)
            }
            guard let row else {
                try Self.refuseQuarantined(.loginAttempt, hash, connection)
                return nil
            }
            guard row.isIntact else { throw IdentityError.storeCorrupt("The row of a pending login is damaged.") }
            let attempt = try openAttempt(row.slot, RecordIdentity(.loginAttempt, row: hash, tenant: row.tenant))
            _ = try connection.run(.deleteAttempt, .key(hash))
            return attempt
        }
    }

    private func openAttempt(_ slot: [UInt8], _ identity: RecordIdentity) throws -> StoredLoginAttempt {
        var reader = FieldReader(try sealer.open(slot, as: identity))
        guard let key = reader.text(), let expiresAt = reader.integer(UInt64.self),
            let payload = reader.field(), reader.isAtEnd
        else { throw IdentityError.storeCorrupt("A pending login cannot be read.") }
        return StoredLoginAttempt(
            key: key,
            tenant: identity.tenant,
            expiresAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: expiresAt)),
            payload: Secret(bytes: Array(payload))
        )
    }

    /// Lets those of the tenant that expire first make room.
    private static func makeRoom(_ connection: Connection, _ tenant: String, _ maximum: Int) throws {
        guard connection.attemptRoom.mustCount(tenant, maximum) else { return }
        let count = try connection.first(.countAttempts, .text(tenant)) { Int($0.integer(0)) } ?? 0
        guard count >= maximum else { return }
        _ = try connection.run(.evictAttempts, .text(tenant), .integer(Int64(count - maximum + 1)))
    }
}
