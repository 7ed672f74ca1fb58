public import FoundationEssentials
public import IdentityKit

extension SQLiteStore: UsedTokenStore {
    /// Whether the token that `key` identifies is marked as used; throws `IdentityError` if the file cannot be read.
    public func isUsed(_ key: String) async throws -> Bool {
        let hash = try records.hash(ofUsedToken: key)
        return try await database.read { connection in
            try connection.first(.readUsedToken, .key(hash)) { _ in true } != nil
        }
    }

    /// Marks the token that `key` identifies as used; false if it is already marked.
    ///
    /// - Throws: `IdentityError`; with code `store_full` when the disk is full, or when the maximum number of marks is reached and too few
    ///   marks have expired; with code `store_busy` when the file stays locked.
    public func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        let hash = try records.hash(ofUsedToken: key)
        return try await database.write { [maximumUsedTokens, clock] connection in
            guard try connection.first(.readUsedToken, .key(hash), read: { _ in true }) == nil else {
                return false
            }
            let count = try connection.first(.countUsedTokens) { Int($0.integer(0)) } ?? 0
            let excess = count - maximumUsedTokens + 1
            if excess > 0 {
                // Only expired marks are removed, because a token whose mark was removed would count as unused.
                let removed = try connection.run(.sweepUsedTokens, .date(clock.now), .integer(Int64(excess)))
                guard removed == excess else { throw IdentityError.usedTokensFull }
            }
            return try connection.run(.insertUsedToken, .key(hash), .bytes(hash), .date(expiry)) == 1
        }
    }
}
