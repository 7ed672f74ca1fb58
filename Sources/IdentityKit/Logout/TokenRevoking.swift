/// A provider that revokes tokens (RFC 7009).
public protocol TokenRevoking: Sendable {
    /// Revokes the tokens of an ended session or a failed login.
    ///
    /// Must return soon after its task is cancelled.
    ///
    /// - Parameter tokens: The tokens to revoke.
    /// - Returns: Whether the provider revoked them; false when it has no revocation endpoint.
    /// - Throws: ``IdentityError`` when the tokens may still be valid.
    @discardableResult
    func revoke(_ tokens: TokenSet) async throws -> Bool
}
