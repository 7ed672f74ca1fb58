/// A provider whose response to a refresh can be stored before it is validated.
///
/// A provider that rotates refresh tokens invalidates the old one when it responds, and only the response contains the new one.
/// Therefore ``SessionManager`` stores the unchanged response before it validates it: a crash or an error in between does not lose
/// the token. It calls the three methods in order. `refresh(_:)` performs all of them, for callers without a store.
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
    /// - Parameter tokens: The session's tokens.
    /// - Throws: ``IdentityError``; the refresh token is unused then.
    func prepareRefresh(of tokens: TokenSet) async throws

    /// Sends the refresh token.
    ///
    /// - Parameters:
    ///   - tokens: The session's tokens.
    ///   - lock: The session's lock. No request may take longer than its ``HeldLock/remaining`` time. Check the lock immediately
    ///     before each request, also before a repeated one, because another process may have acquired it. Pass
    ///     ``HeldLock/notNeeded`` when there is no lock.
    /// - Returns: The unchanged response, if its status is a success.
    /// - Throws: ``RefreshRefusal`` for any other response, and when no response arrived.
    func requestRefresh(of tokens: TokenSet, under lock: HeldLock) async throws(RefreshRefusal) -> RefreshResponse

    /// Validates a response, which may have been stored hours ago by another process.
    ///
    /// Check times in the response against ``RefreshResponse/receivedAt``, not against the current time: a response does not become
    /// invalid because it was stored for a while, and the old refresh token cannot be sent again.
    ///
    /// - Parameters:
    ///   - response: The stored response.
    ///   - tokens: The tokens that were refreshed.
    /// - Returns: The new tokens; members that the response leaves out keep their old values.
    /// - Throws: ``RefreshRefusal`` when the response contains no token. After any other error the response is kept and validated
    ///   again later. If the response belongs to another login, because it names another issuer, subject, audience, authorized party
    ///   or nonce, throw an ``IdentityError`` with ``IdentityError/isAttackSuspected``, also when a time or the signature is wrong:
    ///   then the session's tokens are no longer returned. Check this before you fetch keys.
    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet
}

extension JournaledRefreshing {
    /// Prepares nothing.
    public func prepareRefresh(of tokens: TokenSet) async throws {}

    /// Prepares a refresh, sends the refresh token and validates the response, without a lock.
    ///
    /// - Throws: ``IdentityError``.
    public func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        try await prepareRefresh(of: tokens)
        do {
            return try await self.tokens(from: requestRefresh(of: tokens, under: .notNeeded), refreshing: tokens)
        } catch let refusal as RefreshRefusal {
            throw refusal.error
        }
    }
}

extension IdentityProvider {
    /// The tokens of a response.
    ///
    /// - Throws: ``RefreshRefusal`` when the response contains no token, which is the only reason to send the old refresh token again;
    ///   `IdentityError` when it may contain tokens but cannot be accepted, now or at any time.
    func validated(_ response: RefreshResponse, of old: TokenSet) async throws -> TokenSet {
        guard let journaling = self as? any JournaledRefreshing else {
            throw IdentityError.unreadableResponse(of: descriptor.name)
        }
        do {
            return try await journaling.tokens(from: response, refreshing: old)
        } catch let refusal as RefreshRefusal {
            throw refusal
        } catch {
            throw IdentityError.wrapping(error).withKeptResponse
        }
    }
}
