#if PostgreSQL
public import FoundationEssentials
internal import IdentityCrypto
public import IdentityKit
internal import Synchronization

extension PostgresStore: UsedTokenStore {
    /// Whether a key is marked.
    public func isUsed(_ key: String) async throws -> Bool {
        let hash = try records.hash(ofUsedToken: key)
        return try await !client.find(sql.readUsedToken, .key(hash)).isEmpty
    }

    /// Marks a key, if it is not marked.
    ///
    /// Marks that have expired, also by the database's clock, make room.
    ///
    /// - Throws: `IdentityError` with code `store_full` when there is no room and none has expired.
    public func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        let hash = try records.hash(ofUsedToken: key)
        // The claim tells our own mark from another one when the answer was lost.
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
        // Counted again at the next mark, which may find room.
        counters.withLock { $0.usedTokens = .max }
        // Only expired marks: a copy of a token whose mark was removed would count as new. A key that is marked needs no room.
        let removed = try await client.write(sql.sweepUsedTokens, .integer(512), .date(clock.now))
        guard removed == 0 else { return }
        guard try await client.read(sql.readUsedToken, .key(hash)).isEmpty else { return }
        throw IdentityError.usedTokensFull
    }
}
#endif
