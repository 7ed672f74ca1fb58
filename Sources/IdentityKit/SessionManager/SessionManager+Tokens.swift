extension SessionManager {
    /// A session's tokens, good for at least as long as asked, refreshed first where that is needed.
    ///
    /// However many tasks ask, the refresh token is spent once. A caller who is cancelled does not cancel the refresh. When
    /// the provider is down, the old token is handed out for as long as it lasts.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - duration: How long the access token should still be valid; by default 60 seconds, or a quarter of its life where that is
    ///     less. For longer than the provider's tokens live, they are refreshed at most every 30 seconds.
    /// - Returns: The tokens and how they were obtained.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/signInAgain`` when only a new login helps; with
    ///   ``IdentityError/isAttackSuspected`` when the provider's answer to a refresh belongs to another login, also while the old
    ///   access token lasts: then let the buyer sign in again, too.
    public func tokens(for id: SessionID, validFor duration: Duration? = nil) async throws -> SessionTokens {
        try await tokens.tokens(for: id, validFor: duration)
    }

    /// Refreshes a session's tokens now, whatever their age; for a token that was refused before its time.
    ///
    /// - Throws: ``IdentityError``.
    public func refreshTokens(for id: SessionID) async throws -> SessionTokens {
        try await Correlation.scope { try await tokens.refreshTokens(for: id) }
    }

    /// What the session lets a cart know of the buyer, from tokens that are good for at least as long as asked.
    ///
    /// - Throws: ``IdentityError``.
    public func cartClaim(
        for id: SessionID,
        validFor duration: Duration? = nil
    ) async throws -> (claim: CartClaim, session: Session) {
        try await Correlation.scope { try await tokens.cartClaim(for: id, validFor: duration) }
    }

    /// The buyer's profile, asked of the provider; what the login verified, where the provider has no profile to ask for.
    ///
    /// - Throws: ``IdentityError``.
    public func buyerProfile(for id: SessionID) async throws -> Buyer {
        try await Correlation.scope { try await tokens.buyerProfile(for: id) }
    }
}
