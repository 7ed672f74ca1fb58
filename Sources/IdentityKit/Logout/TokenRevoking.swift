/// A provider that takes tokens back before their time (RFC 7009).
public protocol TokenRevoking: Sendable {
    /// Revokes tokens that nobody will use any more: those of a session that has ended, or of a login that failed.
    ///
    /// Must end soon after its task is cancelled.
    ///
    /// - Returns: Whether the provider revoked them; false where it has no such endpoint.
    /// - Throws: ``IdentityError`` when the tokens may still be good.
    @discardableResult
    func revoke(_ tokens: TokenSet) async throws -> Bool
}
