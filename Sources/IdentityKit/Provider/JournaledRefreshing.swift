/// A provider whose response to a refresh can be stored before it is validated.
///
/// A provider that rotates refresh tokens invalidates the old refresh token when it responds, and only the response contains the new one.
/// So ``SessionManager`` stores the unchanged response first: a crash or an error during the validation then does not lose the new token.
///
/// ```swift
/// try await provider.prepareRefresh(of: tokens)
/// let response = try await provider.requestRefresh(of: tokens, under: lock)
/// // SessionManager stores the response here.
/// let newTokens = try await provider.tokens(from: response, refreshing: tokens)
/// ```
public protocol JournaledRefreshing: IdentityProvider {
    /// Prepares a refresh, for example fetches metadata and keys, before the refresh token is sent.
    ///
    /// - Throws: ``IdentityError``. After an error, ``SessionManager`` does not send the refresh token.
    func prepareRefresh(of tokens: TokenSet) async throws

    /// Sends the refresh token.
    ///
    /// `lock` is the session's lock, or ``HeldLock/notNeeded``. No request may take longer than the lock's ``HeldLock/remaining`` time.
    /// Check the lock immediately before each request, even before a repeated one: another process may have acquired the lock, and may send
    /// the same refresh token.
    ///
    /// - Returns: The unchanged response, if its status is a success.
    /// - Throws: ``RefreshRefusal`` for any other response, and when no response was received, for example because the lock was lost.
    func requestRefresh(of tokens: TokenSet, under lock: HeldLock) async throws(RefreshRefusal) -> RefreshResponse

    /// Validates a response to a refresh of `tokens`; another process may have stored the response hours ago.
    ///
    /// Check times in the response against ``RefreshResponse/receivedAt``, not against the current time: a stored response must stay valid,
    /// because the provider may not accept the old refresh token again. Before you fetch keys, compare issuer, subject, audience,
    /// authorized party and nonce with the login.
    ///
    /// - Returns: The new tokens. Keep the old value of each member that the response leaves out. If the response states no lifetime, use
    ///   the old access token's lifetime.
    /// - Throws: ``RefreshRefusal`` when the response contains no token. ``IdentityError`` with ``IdentityError/isAttackSuspected`` when
    ///   one of the five values differs, even if a time or the signature is also wrong: ``SessionManager`` then returns no token of the
    ///   session. After any error except a ``RefreshRefusal``, the response is validated again later.
    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet
}

extension JournaledRefreshing {
    /// Prepares nothing.
    public func prepareRefresh(of tokens: TokenSet) async throws {}

    /// Prepares a refresh, sends the refresh token and validates the response, without a lock; throws ``IdentityError``.
    public func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        try await prepareRefresh(of: tokens)
        do {
            return try await self.tokens(from: requestRefresh(of: tokens, under: .notNeeded), refreshing: tokens)
        } catch let refusal as RefreshRefusal {
            throw refusal.error
        }
    }
}
