/// The app's secure storage for the tokens of an ``AuthClient``; on Shopify's pages, the Keychain has this role.
///
/// ```swift
/// struct Vault: AuthTokenStorage {
///     func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws {
///         try await secrets.set("shopify-refresh-token", to: tokens.refreshToken)
///         if let idToken = tokens.idToken { try await secrets.set("shopify-id-token", to: idToken) }
///     }
///     func removeTokens() async throws { try await secrets.removeAll() }
/// }
/// ```
///
/// A client that has a token storage writes to it before it returns the tokens of a login or a refresh, and when the buyer signs out.
/// Never store tokens as plain text. `AuthTokenStorageConformance` of `IdentityTesting` tests a storage. A server uses `SessionManager`
/// instead, whose stores encrypt the tokens.
public protocol AuthTokenStorage: Sendable {
    /// Stores the tokens, in place of earlier ones.
    ///
    /// Keep the stored ID token if `tokens` contains none. This happens after a refresh by a client that was created after the login,
    /// unless the app passes the ID token to ``AuthClient/refreshAccessToken(refreshToken:idToken:)``. A login always returns an ID token.
    ///
    /// Two calls can run at the same time. The call that started last has the latest tokens.
    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws

    /// Removes the stored tokens; does nothing if the storage is empty.
    func removeTokens() async throws
}
