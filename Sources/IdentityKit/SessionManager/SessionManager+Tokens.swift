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

    /// Calls a resource server with a session's access token, and once more with a new token where the server refuses the first one.
    ///
    /// The closure runs again only after a refusal, because then the server did not execute the request: after a response 401, with
    /// tokens of a refresh; after a demand for a DPoP nonce, with the same tokens. Many callers whose token was refused cost one
    /// refresh. Any other error leaves at once. A token that is refused right after its refresh is not refreshed again because of a
    /// refusal for 5 minutes.
    ///
    /// ```swift
    /// let orders = try await sessions.withAccessToken(of: session.id) { access in
    ///     let headers = try access.headers(for: .get, url)
    ///     let response = try await transport.send(HTTPRequest(method: .get, url: url, headers: headers))
    ///     try access.check(status: response.status, response.headers, sent: headers, from: url)
    ///     return try Orders(response.body)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - duration: How long the access token should still be valid, as for ``tokens(for:validFor:)``.
    ///   - call: Performs the call. It throws an error with code ``IdentityError/Code/accessTokenRefused`` and kind
    ///     ``IdentityError/Kind/retryLater`` for a refused token: ``ResourceAccess/check(status:_:sent:from:)`` does, and so do the
    ///     SDK's own clients.
    /// - Returns: What the closure returns.
    /// - Throws: ``IdentityError``. If the new token is refused too, its kind is ``IdentityError/Kind/rejected`` and the server's
    ///   challenge is in `providerAnswer`; if there is no refresh token, ``IdentityError/Kind/signInAgain``. Other errors of the closure.
    public func withAccessToken<Value: Sendable>(
        of id: SessionID,
        validFor duration: Duration? = nil,
        perform call: (ResourceAccess) async throws -> Value
    ) async throws -> Value {
        try await Correlation.scope { try await tokens.withAccessToken(of: id, validFor: duration, perform: call) }
    }

    /// The claims of the provider's UserInfo endpoint, asked now.
    ///
    /// - Throws: ``IdentityError``, with code ``IdentityError/Code/unsupportedByProvider`` when the provider has no such endpoint.
    public func userInfo(for id: SessionID) async throws -> UserInfoClaims {
        try await Correlation.scope { try await tokens.userInfo(for: id) }
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
