/// A provider that can revoke tokens, for example at a revocation endpoint (RFC 7009).
public protocol TokenRevoking: Sendable {
    /// Revokes the tokens of an ended session or a failed login.
    ///
    /// The method must return soon after its task is cancelled.
    ///
    /// - Returns: Whether the provider revoked the tokens; false if the provider has no revocation endpoint or cannot revoke these tokens.
    /// - Throws: ``IdentityError`` when a revocation failed.
    @discardableResult
    func revoke(_ tokens: TokenSet) async throws -> Bool
}
