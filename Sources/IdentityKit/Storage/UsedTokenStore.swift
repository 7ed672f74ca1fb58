public import FoundationEssentials

/// A store that remembers used one-time tokens, such as logout tokens, so that no token is accepted twice.
///
/// The marks survive a restart, and all processes that share the store see them. The store may remove a mark only after the mark has
/// expired. A store that is full of valid marks refuses a new mark.
public protocol UsedTokenStore: Sendable {
    /// Whether the key is marked as used.
    func isUsed(_ key: String) async throws -> Bool

    /// Marks the key as used, atomically: if several tasks or processes mark the same key, only one gets true.
    ///
    /// When the method returns true, the mark survives a crash.
    ///
    /// - Parameters:
    ///   - key: A text that identifies the token, compared as bytes.
    ///   - expiry: When the mark may be removed.
    /// - Returns: False if the key was marked already.
    /// - Throws: ``IdentityError``; of kind ``IdentityError/Kind/retryLater`` when the store has no room for another mark.
    func markUsed(_ key: String, until expiry: Date) async throws -> Bool
}
