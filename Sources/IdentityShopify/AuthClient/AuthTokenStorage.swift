/// The app's secure storage for the tokens of an ``AuthClient``, such as the Keychain in Shopify's guide.
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
/// The client saves the tokens of a login or a refresh before it returns them, and removes the tokens when the buyer signs out.
/// Never store tokens as plain text. `AuthTokenStorageConformance` of `IdentityTesting` tests a storage. A server uses `SessionManager`
/// instead, whose stores on a disk or in a database encrypt the tokens.
public protocol AuthTokenStorage: Sendable {
    /// Stores the tokens, in place of earlier tokens.
    ///
    /// If `tokens` contains no ID token, keep the stored ID token. Only the tokens of a refresh can lack the ID token. This can happen if
    /// the client was created after the login, and the app does not pass the ID token to
    /// ``AuthClient/refreshAccessToken(refreshToken:idToken:)``.
    ///
    /// Two calls can run at the same time. The call that started last has the latest tokens.
    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws

    /// Removes the stored tokens; does nothing if the storage is empty.
    func removeTokens() async throws
}
