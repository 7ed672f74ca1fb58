public import IdentityHTTP

/// A provider whose logout page returns a `state` to the post-logout redirect URI.
public protocol LogoutStateSupporting: Sendable {
    /// The provider's logout page for these tokens, with a `state` (OpenID Connect RP-Initiated Logout 1.0 sections 2 and 3).
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the session that ended.
    ///   - postLogoutRedirectURI: The registered address to which the browser returns.
    ///   - state: The value that the logout page adds to the address when the browser returns.
    /// - Returns: The URL; nil when the provider has no logout page for these tokens.
    /// - Throws: ``IdentityError`` when the URL could not be created, for example because the provider's metadata could not be fetched.
    func logoutURL(
        for tokens: TokenSet,
        returningTo postLogoutRedirectURI: String,
        state: Secret
    ) async throws -> HTTPURL?
}
