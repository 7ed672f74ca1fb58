public import IdentityKit

/// A provider with Bolt's login page, as ``BoltCheckout`` needs it: ``BoltProvider`` and ``SFCCProvider``.
public protocol BoltAuthorizing: IdentityProvider {
    /// Starts a login with or without PKCE.
    ///
    /// - Throws: `IdentityError`; of kind `configuration` if the provider does not support PKCE.
    func authorizationRequest(_ options: LoginOptions, usePkce: Bool) async throws -> AuthorizationRequest

    /// Checks a callback against its attempt and returns the code without using it.
    func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret

    /// Exchanges the login's result for tokens.
    func exchange(_ result: BoltLoginResult) async throws -> TokenSet
}
