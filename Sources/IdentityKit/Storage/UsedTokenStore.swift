public import FoundationEssentials

/// A store that remembers which tokens were used, for those that count once.
///
/// What it remembers survives a restart and is seen by all processes that share the store. It may forget a token when its time
/// is over and never before: a store that is full refuses another mark.
public protocol UsedTokenStore: Sendable {
    /// Whether the key is marked.
    func isUsed(_ key: String) async throws -> Bool

    /// Marks the key, atomically: of any number of callers exactly one gets true.
    ///
    /// Once this returns true the mark survives a crash.
    ///
    /// - Parameters:
    ///   - key: What stands for the token, compared as bytes.
    ///   - expiry: Until when the mark is needed.
    /// - Returns: False when it was marked already.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/retryLater`` when there is no room for another mark.
    func markUsed(_ key: String, until expiry: Date) async throws -> Bool
}
