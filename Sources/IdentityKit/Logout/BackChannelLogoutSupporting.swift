/// A provider that sends its clients a signed logout token when a session has ended at the provider.
public protocol BackChannelLogoutSupporting: Sendable {
    /// Validates a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.6).
    ///
    /// ``SessionManager`` checks whether the token was used before; this method does not.
    ///
    /// - Returns: The claims, which name the sessions that ended at the provider.
    /// - Throws: ``IdentityError``. If the token is not a valid logout token of this provider for this client, the kind is
    ///   ``IdentityError/Kind/rejected``, with a code for ID tokens or logout tokens. If the token cannot be checked now, the kind is
    ///   ``IdentityError/Kind/retryLater``.
    func validate(logoutToken: Secret) async throws -> LogoutTokenClaims
}
