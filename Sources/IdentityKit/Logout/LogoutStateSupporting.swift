public import IdentityHTTP

/// A provider whose logout page hands a `state` back to the address that the browser returns to.
public protocol LogoutStateSupporting: Sendable {
    /// Where to send the buyer's browser to end the provider's own session, with a `state` that comes back with the browser
    /// (OpenID Connect RP-Initiated Logout 1.0 sections 2 and 3); nil when there is no such page.
    func logoutURL(
        for tokens: TokenSet,
        returningTo postLogoutRedirectURI: String,
        state: Secret
    ) async throws -> HTTPURL?
}
