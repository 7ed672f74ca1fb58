public import FoundationEssentials
public import IdentityKit

extension SQLiteStore: UsedTokenStore {
    /// Whether a key is marked.
    public func isUsed(_ key: String) async throws -> Bool {
        let hash = try lookup.hash(.usedToken, Array(key.utf8))
        return try await database.read { connection in
            try connection.first(.readUsedToken, .key(hash), .bytes(hash)) { _ in true } != nil
        }
    }

    /// Marks a key, if it is not marked; those that expire first make room.
    public func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        let hash = try lookup.hash(.usedToken, Array(key.utf8))
        return try await database.write { [maximumAttempts] connection in
            guard try connection.first(.readUsedToken, .key(hash), .bytes(hash), read: { _ in true }) == nil else {
                return false
            }
            let count = try connection.first(.countUsedTokens) { Int($0.integer(0)) } ?? 0
            if count >= maximumAttempts {
                _ = try connection.run(.evictUsedTokens, .integer(Int64(count - maximumAttempts + 1)))
            }
            return try connection.run(.insertUsedToken, .key(hash), .bytes(hash), .date(expiry)) == 1
        }
    }
}
