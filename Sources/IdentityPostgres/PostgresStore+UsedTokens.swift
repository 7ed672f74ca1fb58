#if PostgreSQL
public import FoundationEssentials
internal import IdentityCrypto
public import IdentityKit
internal import Synchronization

extension PostgresStore: UsedTokenStore {
    /// Whether a token's key is marked as used.
    public func isUsed(_ key: String) async throws -> Bool {
        let hash = try records.hash(ofUsedToken: key)
        return try await !client.find(sql.readUsedToken, .key(hash)).isEmpty
    }

    /// Marks a token's key as used; false if it is already marked.
    ///
    /// At the maximum number of marks, those that have expired by this process's and the database's clock are removed.
    ///
    /// - Throws: `IdentityError` with code `store_full` when the store is full and no mark has expired.
    public func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        let hash = try records.hash(ofUsedToken: key)
        // The claim value distinguishes our own mark from another one if the response was lost.
        let claim = try SystemRandom().bytes(16)
        try await makeRoomForMark(hash)
        return try await client.repeating { deadline, isInDoubt in
            let values: [Value] = [.key(hash), .bytes(hash), .bytes(claim), .date(expiry)]
            if try await change(sql.insertUsedToken, values, deadline) { return true }
            guard isInDoubt else { return false }
            let rows = try await client.perform(
                sql.readUsedToken,
                [.key(hash)],
                needsWriting: true,
                by: deadline
            )
            return rows.first?.bytes(0) == claim
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
        // The marks are counted again at the next call, which may succeed.
        counters.withLock { $0.usedTokens = .max }
        // Only expired marks are removed, because a token whose mark was removed would count as unused. A key that is
        // already marked needs no new row.
        let removed = try await client.write(sql.sweepUsedTokens, .integer(512), .date(clock.now))
        guard removed == 0 else { return }
        guard try await client.read(sql.readUsedToken, .key(hash)).isEmpty else { return }
        throw IdentityError.usedTokensFull
    }
}
#endif
