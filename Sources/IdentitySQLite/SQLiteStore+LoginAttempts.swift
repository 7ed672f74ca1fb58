internal import FoundationEssentials
public import IdentityKit

extension SQLiteStore: LoginAttemptStore {
    /// Adds a pending login.
    public func insert(_ attempt: StoredLoginAttempt) async throws {
        let hash = try lookup.hash(.loginAttempt, Array(attempt.key.utf8))
        var body = FieldWriter(capacity: attempt.payload.count + 64)
        body.append(attempt.key)
        body.append(attempt.expiresAt.timeIntervalSinceReferenceDate.bitPattern)
        body.append(attempt.payload.revealBytes())
        let slot = try sealer.seal(body.bytes, as: RecordIdentity(.loginAttempt, row: hash))
        try await database.write { [maximumAttempts] connection in
            try Self.makeRoom(connection, maximumAttempts)
            _ = try connection.run(
                .insertAttempt,
                .key(hash),
                .bytes(hash),
                .date(attempt.expiresAt),
                .bytes(slot)
            )
        }
    }

    /// Takes a pending login out.
    public func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? {
        let hash = try lookup.hash(.loginAttempt, Array(key.utf8))
        return try await database.write { [self] connection in
            guard let slot = try connection.first(.readAttempt, .key(hash), .bytes(hash), read: { $0.bytes(0) }) else {
                return nil
            }
            let attempt = try openAttempt(slot, hash: hash)
            _ = try connection.run(.deleteAttempt, .key(hash))
            return attempt
        }
    }

    func openAttempt(_ slot: [UInt8], hash: [UInt8]) throws -> StoredLoginAttempt {
        var reader = FieldReader(try sealer.open(slot, as: RecordIdentity(.loginAttempt, row: hash)))
        guard let key = reader.text(), let expiresAt = reader.integer(UInt64.self),
            let payload = reader.field(), reader.isAtEnd
        else { throw IdentityError.storeCorrupt("A pending login cannot be read.") }
        return StoredLoginAttempt(
            key: key,
            expiresAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: expiresAt)),
            payload: Secret(bytes: Array(payload))
        )
    }

    /// Lets those that expire first make room.
    ///
    /// Counting reads the whole index, so a large store counts only now and then.
    private static func makeRoom(_ connection: Connection, _ maximum: Int) throws {
        if connection.attemptsSinceCount < maximum / 128 {
            connection.attemptsSinceCount += 1
            return
        }
        let count = try connection.first(.countAttempts) { Int($0.integer(0)) } ?? 0
        if count >= maximum { _ = try connection.run(.evictAttempts, .integer(Int64(count - maximum + 1))) }
        connection.attemptsSinceCount = 1
    }
}
