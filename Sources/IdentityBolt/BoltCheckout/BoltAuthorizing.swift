public import IdentityKit

/// A provider with Bolt's login page, which ``BoltCheckout`` can use; ``BoltProvider`` and ``SFCCProvider`` conform to this protocol.
public protocol BoltAuthorizing: IdentityProvider {
    /// Creates the authorization request of a login, with or without PKCE.
    ///
    /// - Throws: `IdentityError`; of kind `configuration` if the provider cannot exchange the code of such a login.
    func authorizationRequest(_ options: LoginOptions, usePkce: Bool) async throws -> AuthorizationRequest

    /// Checks that a callback belongs to the login, and returns its authorization code without exchanging it.
    func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret

    /// Exchanges the login's result for tokens.
    func exchange(_ result: BoltLoginResult) async throws -> TokenSet
}
