#if PostgreSQL
public import FoundationEssentials
internal import IdentityCrypto
public import IdentityKit
internal import Synchronization

extension PostgresStore: UsedTokenStore {
    /// Whether the token that `key` identifies is marked as used.
    ///
    /// - Throws: `IdentityError`; with code `store_unavailable` also when only a standby can be read, and the standby has no such mark.
    public func isUsed(_ key: String) async throws -> Bool {
        let hash = try records.hash(ofUsedToken: key)
        return try await !client.find(sql.readUsedToken, .key(hash)).isEmpty
    }

    /// Marks the token that `key` identifies as used; false if it is already marked.
    ///
    /// If a call finds the maximum number of marks, it first removes up to 512 marks that have expired by ``Configuration/clock`` and by
    /// the database's clock. Only some calls count the marks, so the maximum may be exceeded (``Configuration/maximumUsedTokens``).
    ///
    /// - Throws: `IdentityError`, for example with code `store_unavailable`; with code `store_full` when a call finds the maximum number of
    ///   marks, no mark has expired, and the token is not marked.
    public func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        let hash = try records.hash(ofUsedToken: key)
        // If the response is lost, this random value in the stored mark shows whether this call or another caller has made the mark.
        let claim = try SystemRandom().bytes(16)
        try await makeRoomForMark(hash)
        return try await client.repeating { deadline, isInDoubt in
            let values: [Value] = [.key(hash), .bytes(hash), .bytes(claim), .date(expiry)]
            if try await change(sql.insertUsedToken, values, deadline) { return true }
            guard isInDoubt else { return false }
            return try await currentRow(sql.readUsedToken, hash, deadline)?.bytes(0) == claim
        }
    }

    private func makeRoomForMark(_ hash: [UInt8]) async throws {
        let isDue = counters.withLock { [maximumUsedTokens] counters in
            let isDue = counters.usedTokens >= maximumUsedTokens / 128
            counters.usedTokens = isDue ? 1 : counters.usedTokens + 1
            return isDue
        }
        guard isDue else { return }
        let maximum = Int64(maximumUsedTokens)
        let count = try await client.read(sql.countUsedTokens, .integer(maximum)).first?.integer(0) ?? 0
        guard count >= maximum else { return }
        // The store is full, so the next call must count the marks again.
        counters.withLock { $0.usedTokens = .max }
        // Only expired marks are removed, because a token whose mark was removed would count as unused. For a token that is already marked,
        // this method does not throw, because `markUsed` then adds no mark.
        let removed = try await client.write(sql.sweepUsedTokens, .integer(512), .date(clock.now))
        guard removed == 0 else { return }
        guard try await client.read(sql.readUsedToken, .key(hash)).isEmpty else { return }
        throw IdentityError.usedTokensFull
    }
}
#endif
