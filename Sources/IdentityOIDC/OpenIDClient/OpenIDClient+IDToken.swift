internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// The expected values of a signed token of the provider for this client; `at_hash` must fit the access token of `response`.
    func expectations(_ metadata: ProviderMetadata, _ response: TokenResponse? = nil) -> SignedTokenExpectations {
        var expected = expectations(algorithms: algorithms ?? metadata.signatureAlgorithms)
        expected.accessToken = response?.accessToken
        return expected
    }

    private func expectations(algorithms: [SignatureAlgorithm]) -> SignedTokenExpectations {
        var expected = SignedTokenExpectations(
            issuers: issuers,
            audiences: settings.audiences ?? [configuration.clientID],
            algorithms: algorithms,
            now: httpClient.environment.clock.now
        )
        expected.issuerTemplate = settings.issuerTemplate
        expected.trustedAudiences = configuration.trustedAudiences
        expected.allowsUntrustedAudiences = settings.allowsUntrustedAudiences
        expected.acceptsNumericSubject = settings.acceptsNumericSubject
        return expected
    }

    /// Refuses a response to a refresh whose ID token belongs to another login than the session's tokens.
    ///
    /// This is the first check of the response, and it needs no metadata and no keys. So an ID token of another login is reported even if
    /// the response has other errors, or if metadata or keys cannot be fetched.
    ///
    /// - Throws: `IdentityError` with `isAttackSuspected`.
    func refuseTokenOfAnotherLogin(_ idToken: JSONWebToken, refreshing tokens: TokenSet) throws(IdentityError) {
        // The list of algorithms is empty, because this check verifies no signature.
        var expected = expectations(algorithms: [])
        expected.previous = tokens
        try IDTokenValidator.refuseTokenOfAnotherLogin(idToken, expecting: expected)
    }

    /// Validates an ID token with the provider's keys; fetches newer keys if the known ones do not verify it.
    func validate(
        _ token: Result<JSONWebToken, IdentityError>,
        _ metadata: ProviderMetadata,
        _ expected: SignedTokenExpectations
    ) async throws -> IDTokenClaims {
        guard let url = metadata.keySetURL else { throw Self.missing(.keySet) }
        let token = try token.get()
        return try await keySource.verifying(with: url, keyID: token.keyID) {
            try IDTokenValidator.validate(token, keys: $0, expecting: expected)
        }
    }

    /// The tokens of a login's successful response, after its ID token has been validated.
    ///
    /// If the response or its ID token is invalid or cannot be validated, the response's tokens are revoked if possible, because no session
    /// will use them. After a step-up login, they are revoked only if the ID token names another buyer than the buyer of the session.
    func loginTokens(
        _ object: JSONObject,
        _ startedAt: Date,
        _ login: some LoginExpectations,
        _ metadata: ProviderMetadata
    ) async throws -> TokenSet {
        do {
            let response = try TokenResponse(
                object,
                settings: settings,
                usesDPoP: login.dpopKey != nil,
                acceptsUnboundTokens: configuration.acceptsUnboundTokens
            )
            let wantsIDToken = login.scopes.contains { $0.isIdentical(to: "openid") }
            guard let idToken = response.idToken, wantsIDToken else {
                throw IdentityError(
                    .rejected,
                    .idTokenMissing,
                    wantsIDToken
                        ? "The provider's token response has no ID token, so the buyer is unknown."
                        : "The login did not request the scope openid, so the buyer is unknown.",
                    hint: wantsIDToken
                        ? "Check that the provider grants the scope openid to this client."
                        : "Add openid to scopes in the provider's configuration, or to LoginOptions.scopes if the app sets them.",
                    reference: "OpenID Connect Core section 3.1.3.3"
                )
            }
            var expected = expectations(metadata, response)
            expected.boundIssuer = login.issuer
            expected.nonce = login.nonce
            expected.refusesNonce = login.refusesNonce
            expected.maximumAgeSeconds = login.maximumAgeSeconds
            if settings.provesAuthenticationContext { expected.authenticationContexts = login.authenticationContexts }
            let claims = try await validate(JSONWebToken.parsing(idToken), metadata, expected)
            return TokenSet(
                buyer: quirks.buyer(from: claims),
                accessToken: response.accessToken,
                tokenType: response.tokenType,
                refreshToken: response.refreshToken,
                refreshTokenScopes: response.refreshTokenScopes,
                idToken: idToken,
                scopes: response.scopes ?? login.scopes,
                issuedAt: startedAt,
                expiresAt: response.lifetime.map { startedAt + $0 },
                authenticatedAt: claims.authenticatedAt,
                authorizedParty: claims.authorizedParty,
                // The app may have sent its own nonce, which only the ID token shows. The ID token of a refresh has the same nonce or none.
                nonce: login.nonce ?? claims.nonce,
                providerSessionID: claims.providerSessionID,
                claims: claims.kept,
                dpopKey: login.dpopKey
            )
        } catch {
            await revokeTokens(of: object, keeping: login.steppedUpBuyer)
            throw error
        }
    }
}

extension IDTokenClaims {
    /// `nonce`, if it is a string; the ID token of a refresh has the same nonce or no nonce (OpenID Connect Core section 12.2).
    var nonce: Secret? { (self["nonce"]?.string).map { Secret($0) } }
}
