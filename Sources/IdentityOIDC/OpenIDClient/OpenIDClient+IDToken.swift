internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// The expected values of a signed token of the provider for this client; `at_hash`, if the token has it, must fit `accessToken`.
    ///
    /// `published` are the algorithms in the provider's metadata, which apply if the configuration names none.
    func expectations(published: [SignatureAlgorithm], accessToken: Secret? = nil) -> SignedTokenExpectations {
        SignedTokenExpectations(
            issuers: issuers,
            issuerTemplate: settings.issuerTemplate,
            audiences: settings.audiences ?? [configuration.clientID],
            trustedAudiences: configuration.trustedAudiences,
            allowsUntrustedAudiences: settings.allowsUntrustedAudiences,
            algorithms: algorithms ?? published,
            accessToken: accessToken,
            acceptsNumericSubject: settings.acceptsNumericSubject,
            now: httpClient.environment.clock.now
        )
    }

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
    /// If the response or its ID token is invalid or cannot be validated, no session will use the response's tokens. So this function
    /// revokes these tokens if possible; after a step-up login, only if the ID token names another buyer than the session's buyer.
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
                    reference: "OpenID Connect Core section \(wantsIDToken ? "3.1.3.3" : "3.1.2.1")"
                )
            }
            var expected = expectations(published: metadata.signatureAlgorithms, accessToken: response.accessToken)
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
                // If the app made the authorization URL itself, only the ID token shows the nonce. The session keeps the nonce,
                // because the ID token of a refresh must have the same nonce or no nonce.
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
    var nonce: Secret? { (self["nonce"]?.string).map { Secret($0) } }
}

/// The data of a login that the validation of its token response needs; for logins by redirect and by device code.
protocol LoginExpectations: Sendable {
    var scopes: [String] { get }
    /// The issuer to which the login is bound; nil if the login is not bound to an issuer.
    var issuer: String? { get }
    var nonce: Secret? { get }
    var refusesNonce: Bool { get }
    var maximumAgeSeconds: Int? { get }
    var authenticationContexts: [String] { get }
    /// The DPoP key to which the tokens are to be bound; nil for bearer tokens.
    var dpopKey: Secret? { get }
    /// The buyer of the session for which a step-up login was started; nil for an ordinary login.
    var steppedUpBuyer: Buyer? { get }
}

extension LoginAttempt: LoginExpectations {
    var refusesNonce: Bool { false }
}

extension DeviceAuthorization: LoginExpectations {
    var nonce: Secret? { nil }
    var steppedUpBuyer: Buyer? { nil }
    // A device authorization request has no nonce. An ID token with a nonce was issued for another login.
    var refusesNonce: Bool { true }
}
