internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// The expected values of every signed token of the provider for this client.
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
    /// This is the first check, and it needs neither metadata nor keys. So neither another error of the response nor a failure to fetch
    /// metadata or keys can hide such an ID token.
    ///
    /// - Throws: `IdentityError` with `isAttackSuspected`.
    func refuseTokenOfAnotherLogin(_ idToken: JSONWebToken, refreshing tokens: TokenSet) throws(IdentityError) {
        // Neither signature nor algorithm is checked here.
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
}
