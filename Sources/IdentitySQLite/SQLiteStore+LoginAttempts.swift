public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore: LoginAttemptStore {
    /// Adds a pending login or a pending logout.
    ///
    /// - Throws: `IdentityError`, for example with code `store_busy` or `store_full` (both of kind `retryLater`), or
    ///   `store_record_too_large`.
    public func insert(_ attempt: StoredLoginAttempt) async throws {
        if try await logins?.insert(attempt, maximum: maximumAttempts) == true { return }
        let row = try records.seal(attempt)
        try await database.write { [maximumAttempts] connection in
            try Self.makeRoom(connection, for: row, maximumAttempts)
            _ = try connection.run(
                .insertAttempt,
                .key(row.hash),
                .bytes(row.hash),
                .date(row.expiresAt),
                .bytes(row.record),
                .text(row.tenant)
            )
        }
    }

    /// Removes and returns a pending login, unless `check` throws an error for it; nil if the login does not exist.
    ///
    /// - Throws: The error of the check; `IdentityError` of the store, with code `store_corrupt` when the login is damaged or in
    ///   quarantine, and `store_key_mismatch` when this process does not have the login's key.
    public func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        if let attempt = try await logins?.take(key, after: check) { return attempt }
        let hash = try records.hash(ofLoginAttempt: key)
        // Anyone can send callbacks with an unknown `state`. These callbacks must not take the writer lock, so the row is read first.
        guard try await database.readRow({ try $0.attempt(hash) }) != nil else { return nil }
        return try await database.write { [records] connection in
            guard let row = try connection.attempt(hash) else { return nil }
            let attempt = try records.open(row, of: key)
            try check(attempt)
            _ = try connection.run(.deleteAttempt, .key(hash))
            return attempt
        }
    }

    /// Removes the tenant's pending logins that expire first, until the limit permits the new login.
    ///
    /// A stored login with the same key does not count, because the new login replaces it.
    private static func makeRoom(_ connection: Connection, for new: SealedLoginAttempt, _ maximum: Int) throws {
        guard connection.attemptCounter.addRow(of: new.tenant, limit: maximum) else { return }
        let (tenant, key): (ColumnValue, ColumnValue) = (.text(new.tenant), .key(new.hash))
        let count = try connection.first(.countAttempts, tenant, key) { Int($0.integer(0)) } ?? 0
        guard count >= maximum else { return }
        _ = try connection.run(.evictAttempts, tenant, key, .integer(Int64(count - maximum + 1)))
    }
}

extension Connection {
    fileprivate func attempt(_ hash: [UInt8]) throws -> SealedLoginAttempt? {
        try find(.readAttempt, hash, .loginAttempt, read: SealedLoginAttempt.init)
    }
}
