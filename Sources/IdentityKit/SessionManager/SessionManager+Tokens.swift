extension SessionManager {
    /// Returns a session's tokens; they are refreshed first if they are not valid for the requested time.
    ///
    /// Concurrent calls for a session share one refresh in this process. If the task of one of these calls is cancelled, the refresh
    /// continues. A refresh can fail although the buyer is still signed in, for example because the provider is down. In this case, the old
    /// tokens are returned until they expire (``TokenOutcome/stillValid``). A token whose expiry the provider did not state is returned
    /// without a refresh.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - duration: How long the access token should still be valid. The default is 60 seconds, or a quarter of the token's lifetime if
    ///     that is less. If the duration is longer than the lifetime of the provider's tokens, each process refreshes them at most every
    ///     30 seconds.
    /// - Returns: The tokens and how they were obtained.
    /// - Throws: ``IdentityError``, of kind ``IdentityError/Kind/signInAgain`` when only a new login helps. If the provider's response to
    ///   a refresh belongs to another login, the error has ``IdentityError/isAttackSuspected``. It is thrown even while the old access
    ///   token is valid. Let the buyer sign in again in this case, too.
    public func tokens(for id: SessionID, validFor duration: Duration? = nil) async throws -> SessionTokens {
        // Tokens from the cache need no correlation id.
        if let cached = cache?.tokens(id, validFor: duration) { return cached }
        return try await Correlation.scope { try await tokenReader.tokens(for: id, validFor: duration) }
    }

    /// Refreshes a session's tokens now, even if they are not due for a refresh.
    ///
    /// Call this method for a token that a server rejected before the token expired.
    ///
    /// - Throws: ``IdentityError`` when the refresh fails, even while the old tokens are still valid.
    public func refreshTokens(for id: SessionID) async throws -> SessionTokens {
        try await Correlation.scope {
            let state = try await context.reads.load(id).decoded().state
            guard let tokens = state.tokens else { throw IdentityError.ended(state.endReason ?? .guest) }
            return try await refresher.refresh(id, for: .replacing(tokens))
        }
    }

    /// Calls a resource server with a session's access token, and once more with a new token if the server rejects the first one.
    ///
    /// The closure runs again in two cases: with refreshed tokens if the server rejects the token, and with the same tokens if the server
    /// requires a DPoP nonce. In both cases, the server did not execute the first request. Any other error is thrown at once.
    ///
    /// If the server rejects the same token of many callers, the token is refreshed once. If the server rejects a token right after its
    /// refresh, further rejections of this token cause no refresh for 5 minutes. This does not apply to a token that an earlier refresh
    /// received, but that could not be validated or saved until now. Such a token may be old, so it is refreshed again.
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
    ///   - call: Performs the call. For a rejected token, it throws an error with code ``IdentityError/Code/accessTokenRefused`` and kind
    ///     ``IdentityError/Kind/retryLater``, as ``ResourceAccess/check(status:_:sent:from:)`` and the SDK's own clients do.
    /// - Returns: What the closure returns.
    /// - Throws: ``IdentityError`` with the server's challenge in `providerResponse`. The kind is ``IdentityError/Kind/rejected`` if the
    ///   server also rejects the refreshed token, and ``IdentityError/Kind/signInAgain`` if the session has no refresh token. It is
    ///   ``IdentityError/Kind/retryLater`` if the server also rejects a token that an earlier refresh received; the next call refreshes
    ///   that token. The method also throws the errors of ``tokens(for:validFor:)`` and the other errors of the closure.
    public func withAccessToken<Value: Sendable>(
        of id: SessionID,
        validFor duration: Duration? = nil,
        perform call: (ResourceAccess) async throws -> Value
    ) async throws -> Value {
        try await Correlation.scope {
            try await tokenReader.withTokens(of: id, validFor: duration) { access in
                do { return try await call(access) } catch is NonceRequired {}
                do { return try await call(access) } catch is NonceRequired {
                    throw IdentityError(
                        .retryLater,
                        .dpopProofRefused,
                        "The resource server required another DPoP nonce for the repeated request.",
                        hint:
                            "Try again. If this error repeats, tell the server's operator that the server rejects its own nonces.",
                        reference: "RFC 9449 section 9"
                    )
                }
            }
        }
    }

    /// Requests the claims of the provider's UserInfo endpoint.
    ///
    /// - Throws: ``IdentityError``. The code is ``IdentityError/Code/unsupportedByProvider`` when the provider has no UserInfo endpoint,
    ///   and ``IdentityError/Code/idTokenSubject`` when the claims are about another buyer.
    public func userInfo(for id: SessionID) async throws -> UserInfoClaims {
        try await Correlation.scope {
            try await tokenReader.withTokens(of: id, validFor: nil) { access in
                guard let provider = access.provider as? any UserInfoProviding else {
                    throw IdentityError(
                        unsupported:
                            "The provider \(access.session.provider) does not support requests for UserInfo claims.",
                        hint: "Call buyerProfile(for:), which every provider supports.",
                        reference: "OpenID Connect Core section 5.3"
                    )
                }
                let claims = try await provider.userInfo(for: access.tokens)
                let buyer = access.tokens.buyer
                guard claims.subject.isIdentical(to: buyer.subject),
                    access.provider.descriptor.isSameIssuer(claims.issuer, as: buyer.issuer)
                else { throw IdentityError.foreignUserInfo }
                return claims
            }
        }
    }

    /// Returns the identity that a session can give to a cart, and the session.
    ///
    /// The claim is `none` for a guest's session, and for a provider that does not conform to ``CartClaimProviding``.
    /// `duration` is how long a customer access token in the claim should still be valid, as for ``tokens(for:validFor:)``.
    ///
    /// - Throws: ``IdentityError``: the errors of ``tokens(for:validFor:)`` and of the provider.
    public func cartClaim(
        for id: SessionID,
        validFor duration: Duration? = nil
    ) async throws -> (claim: CartClaim, session: Session) {
        try await Correlation.scope {
            do {
                return try await tokenReader.withTokens(of: id, validFor: duration) { access in
                    (try await access.cartClaim(), access.session)
                }
            } catch let error as IdentityError where error.code == .notSignedIn {
                return (.none, try await context.reads.load(id).decoded().session)
            }
        }
    }

    /// Requests the buyer's profile from the provider; returns the buyer of the login if the provider has no profile.
    ///
    /// - Throws: ``IdentityError``: the errors of ``tokens(for:validFor:)`` and of the provider.
    public func buyerProfile(for id: SessionID) async throws -> Buyer {
        try await Correlation.scope {
            try await tokenReader.withTokens(of: id, validFor: nil) { access in
                guard let profiles = access.provider as? any BuyerProfileProviding else { return access.tokens.buyer }
                return try await profiles.buyerProfile(for: access.tokens)
            }
        }
    }
}
