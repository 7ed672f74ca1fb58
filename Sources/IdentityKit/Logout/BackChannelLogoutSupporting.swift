/// A provider that sends its clients a signed logout token when a session has ended there.
public protocol BackChannelLogoutSupporting: Sendable {
    /// Validates a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.6), except for reuse.
    ///
    /// ``SessionManager`` checks whether the token was used before.
    ///
    /// - Parameter logoutToken: The token from the request.
    /// - Returns: The sessions that ended.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/rejected``, with a code of ID or logout tokens, when this provider did
    ///   not issue the token for this client; of kind ``IdentityError/Kind/retryLater`` when it cannot be checked now.
    func validate(logoutToken: Secret) async throws -> LogoutTokenClaims
}
