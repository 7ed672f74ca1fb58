#if PostgreSQL
public import IdentityKit
internal import IdentityStoreKit
internal import Synchronization

extension PostgresStore: LoginAttemptStore {
    /// Adds a pending login or a pending logout; replaces an earlier attempt with the same key.
    ///
    /// - Throws: `IdentityError`, for example with code `store_unavailable` (kind `retryLater`) or `store_record_too_large`.
    public func insert(_ attempt: StoredLoginAttempt) async throws {
        let row = try records.seal(attempt)
        try await makeRoom(for: row)
        _ = try await client.write(
            sql.insertAttempt,
            .key(row.hash),
            .bytes(row.hash),
            .text(row.tenant),
            .date(row.expiresAt),
            .bytes(row.record)
        )
    }

    /// Removes and returns a pending login, unless `check` throws an error for it; nil if the login does not exist.
    ///
    /// - Throws: The error of the check; `IdentityError` of the store, with code `store_corrupt` when the login is damaged or in
    ///   quarantine, and `store_key_mismatch` when this process does not have the login's key. If it is unknown whether this call or
    ///   another call has removed the login, the error has kind `retryLater`, and usually code `store_unavailable`.
    public func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        let hash = try records.hash(ofLoginAttempt: key)
        let found = try await client.repeating { deadline, isInDoubt -> StoredLoginAttempt? in
            // If the removal changes nothing although the row still exists, the row has a new record, for example after a key rotation. In
            // that case, the loop repeats the removal with the new record.
            while let row = try await currentRow(sql.readAttempt, hash, deadline).map(SealedLoginAttempt.init) {
                // A login that cannot be opened, or that the check refuses, must stay in the table.
                let attempt = try records.open(row, of: key)
                try check(attempt)
                if try await change(sql.deleteAttempt, [.key(hash), .bytes(hash), .bytes(row.record)], deadline) {
                    return attempt
                }
            }
            // If an earlier run of this call may have taken effect, it is unknown whether that run or another caller removed the login.
            // Only the caller that removed the login may get the login.
            if isInDoubt { throw PostgresFailure(.outcomeUnknown) }
            return nil
        }
        if found == nil { _ = try await isPutBack(hash, .loginAttempt) }
        return found
    }

    /// Removes the pending logins of a tenant that expire first, until the limit permits the new login.
    ///
    /// A stored login with the same key does not count, because the new login replaces it.
    private func makeRoom(for new: SealedLoginAttempt) async throws {
        let needsCount = counters.withLock { [maximumAttempts] in
            $0.attempts.addRow(of: new.tenant, limit: maximumAttempts)
        }
        guard needsCount else { return }
        _ = try await client.write(
            sql.evictAttempts,
            .text(new.tenant),
            .key(new.hash),
            .integer(Int64(maximumAttempts - 1))
        )
    }
}
#endif
