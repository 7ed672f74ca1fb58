internal import FoundationEssentials
internal import IdentityKit

extension OpenIDClient {
    /// The tokens of a login's successful answer; those of an answer that is refused are revoked, for nobody will have them.
    func loginTokens(
        _ object: JSONObject,
        provedBy key: DPoPKey?,
        _ startedAt: Date,
        on terms: LoginExpectations,
        _ metadata: ProviderMetadata
    ) async throws -> TokenSet {
        do {
            let answer = try response(object, provedBy: key)
            return try await tokens(from: answer, startedAt: startedAt, on: terms, metadata)
        } catch {
            await dropTokens(of: object)
            throw error
        }
    }

    /// The tokens of a login's answer, once its ID token has been validated against what the login asked for.
    private func tokens(
        from answer: TokenResponse,
        startedAt: Date,
        on terms: LoginExpectations,
        _ metadata: ProviderMetadata
    ) async throws -> TokenSet {
        let wantsIDToken = terms.scopes.contains { $0.isIdentical(to: "openid") }
        guard let idToken = answer.idToken, wantsIDToken else {
            throw IdentityError(
                .rejected,
                .idTokenMissing,
                "The provider's answer has no ID token, so nothing says who signed in.",
                hint: "Ask for the scope openid, and check that the provider grants it.",
                reference: "OpenID Connect Core section 3.1.3.3"
            )
        }
        var expected = expectations(metadata, answer)
        expected.boundIssuer = terms.issuer
        expected.nonce = terms.nonce
        expected.refusesNonce = terms.refusesNonce
        expected.maximumAgeSeconds = terms.maximumAgeSeconds
        if dialect.provesAuthenticationContext { expected.authenticationContexts = terms.authenticationContexts }
        let claims = try await validate(idToken, metadata, expected)
        var tokens = TokenSet(
            buyer: dialect.buyer(claims),
            accessToken: answer.accessToken,
            tokenType: answer.tokenType,
            refreshToken: answer.refreshToken,
            idToken: idToken,
            scopes: answer.scopes ?? terms.scopes,
            issuedAt: startedAt,
            expiresAt: answer.lifetime.map { startedAt + $0 }
        )
        tokens.refreshTokenScopes = refreshScopes(answer)
        tokens.authenticatedAt = claims.authenticatedAt
        tokens.authorizedParty = claims.authorizedParty
        tokens.nonce = terms.nonce
        tokens.providerSessionID = claims.providerSessionID
        tokens.dpopKey = terms.dpopKey
        return tokens
    }

    /// The issuer to bind a login to, where the provider's own document names it.
    func boundIssuer(_ metadata: ProviderMetadata) -> String? {
        metadataSource.isDiscovered && dialect.bindsDiscoveredIssuer ? metadata.issuer : nil
    }

    /// Refuses to go on at another provider than the one where the login began.
    func checkIssuer(_ issuer: String?, is metadata: ProviderMetadata) throws(IdentityError) {
        guard let issuer, metadataSource.isDiscovered, !issuer.isIdentical(to: metadata.issuer) else { return }
        throw IdentityError(
            .rejected,
            .discoveryIssuerMismatch,
            "The provider changed its issuer during the login.",
            hint: "Start the login again.",
            reference: "RFC 9700 section 4.4.2"
        )
    }
}
