public import IdentityKit
internal import Synchronization

extension PostgresStore: LoginAttemptStore {
    /// Adds a pending login.
    public func insert(_ attempt: StoredLoginAttempt) async throws {
        let hash = try records.attemptHash(attempt.key)
        let slot = try records.attemptSlot(attempt, hash: hash)
        try await makeRoom(attempt.tenant)
        _ = try await client.write(
            sql.insertAttempt,
            .key(hash),
            .bytes(hash),
            .text(attempt.tenant),
            .date(attempt.expiresAt),
            .bytes(slot)
        )
    }

    /// Takes a pending login out.
    ///
    /// - Throws: `store_unavailable` also where it cannot be known who has taken it.
    public func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? {
        let hash = try records.attemptHash(key)
        let found = try await client.repeating { deadline, isInDoubt -> StoredLoginAttempt? in
            let rows = try await client.perform(sql.readAttempt, [.key(hash)], needsWriting: true, by: deadline)
            if let row = rows.first {
                guard row.bytes(2) == hash else { throw IdentityError.damagedHash }
                // Opened before it is taken: one that cannot be opened stays.
                let slot = row.bytes(0)
                let attempt = try records.attempt(slot, hash: hash, tenant: row.text(1))
                if try await change(sql.deleteAttempt, [.key(hash), .bytes(hash), .bytes(slot)], deadline) {
                    return attempt
                }
            }
            // Gone, maybe by an earlier run of ours, maybe by somebody else: nobody may get it twice.
            if isInDoubt { throw PostgresFailure(.timedOut) }
            return nil
        }
        if found == nil { try await refuseQuarantined(.loginAttempt, hash) }
        return found
    }

    /// Lets those of a tenant that expire first make room.
    ///
    /// Counting reads a part of the index, so a large store counts only now and then.
    private func makeRoom(_ tenant: String) async throws {
        let isDue = counters.withLock { [maximumAttempts] in $0.attempts.mustCount(tenant, maximumAttempts) }
        guard isDue else { return }
        _ = try await client.write(sql.evictAttempts, .text(tenant), .integer(Int64(maximumAttempts - 1)))
    }
}
