/// A provider that takes tokens back before their time (RFC 7009).
public protocol TokenRevoking: Sendable {
    /// Revokes the tokens of a session that has ended.
    ///
    /// Returns without having done anything where the provider has no such endpoint. Must end soon after its task is cancelled.
    ///
    /// - Throws: ``IdentityError`` when the tokens may still be good.
    func revoke(_ tokens: TokenSet) async throws
}
