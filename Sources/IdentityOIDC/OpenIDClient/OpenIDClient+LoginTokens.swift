internal import FoundationEssentials
internal import IdentityKit

extension OpenIDClient {
    /// The tokens of a login's successful response, after its ID token has been validated.
    ///
    /// If that fails, the response's tokens are revoked if possible, because no session will use them. After a step-up they are revoked
    /// only if they belong to another buyer.
    func loginTokens(
        _ object: JSONObject,
        _ startedAt: Date,
        _ login: some LoginExpectations,
        _ metadata: ProviderMetadata
    ) async throws -> TokenSet {
        do {
            let response = try response(object, usesDPoP: login.dpopKey != nil)
            let wantsIDToken = login.scopes.contains { $0.isIdentical(to: "openid") }
            guard let idToken = response.idToken, wantsIDToken else {
                throw IdentityError(
                    .rejected,
                    .idTokenMissing,
                    wantsIDToken
                        ? "The provider's token response has no ID token, so the buyer is unknown."
                        : "The login did not request the scope openid, so the buyer is unknown.",
                    hint: wantsIDToken
                        ? "Check that the provider grants the scope openid to this client." : "Add openid to scopes.",
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
            var tokens = TokenSet(
                buyer: quirks.buyer(from: claims),
                accessToken: response.accessToken,
                tokenType: response.tokenType,
                refreshToken: response.refreshToken,
                idToken: idToken,
                scopes: response.scopes ?? login.scopes,
                issuedAt: startedAt,
                expiresAt: response.lifetime.map { startedAt + $0 }
            )
            tokens.refreshTokenScopes = refreshScopes(response)
            tokens.authenticatedAt = claims.authenticatedAt
            tokens.authorizedParty = claims.authorizedParty
            tokens.nonce = login.nonce
            tokens.claims = claims.kept
            tokens.providerSessionID = claims.providerSessionID
            tokens.dpopKey = login.dpopKey
            return tokens
        } catch {
            await revokeTokens(of: object, keeping: login.steppedUpBuyer)
            throw error
        }
    }
}
