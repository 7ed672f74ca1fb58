public import FoundationEssentials

/// A store that remembers used tokens, so that a token that is valid once cannot be used again.
///
/// The marks survive a restart, and all processes that share the store see them. The store may remove a mark only after it has
/// expired: a full store refuses another mark.
public protocol UsedTokenStore: Sendable {
    /// Whether the key is marked as used.
    func isUsed(_ key: String) async throws -> Bool

    /// Marks the key as used, atomically: only one of several callers gets true.
    ///
    /// When the method returns true, the mark survives a crash.
    ///
    /// - Parameters:
    ///   - key: A text that identifies the token, compared as bytes.
    ///   - expiry: When the mark may be removed.
    /// - Returns: False if the key was marked already.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/retryLater`` when there is no room for another mark.
    func markUsed(_ key: String, until expiry: Date) async throws -> Bool
}
