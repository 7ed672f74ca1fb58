public import IdentityKit

/// A provider whose login page is Bolt's: what ``BoltCheckout`` needs to know of it.
///
/// ``BoltProvider`` and ``SFCCProvider`` are the two; there is no need to write another.
public protocol BoltAuthorizing: IdentityProvider {
    /// Begins a login with or without PKCE.
    ///
    /// - Throws: `IdentityError`; of kind `configuration` where PKCE has no place.
    func authorizationRequest(_ options: LoginOptions, usePkce: Bool) async throws -> AuthorizationRequest

    /// Checks a callback against its attempt and takes the code out of it, without spending it.
    func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret

    /// Exchanges what the login page brought for tokens.
    func exchange(_ result: BoltLoginResult) async throws -> TokenSet
}
