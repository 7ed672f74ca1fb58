internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// Requests the buyer's claims from the UserInfo endpoint (OpenID Connect Core section 5.3).
    ///
    /// A signed response is verified with the provider's keys, and its issuer and audience are checked as in an ID token.
    ///
    /// - Returns: The buyer; if the provider has no UserInfo endpoint, the buyer of the login. The response is used only if its `sub`
    ///   equals the `sub` of the ID token, byte for byte (section 5.3.2).
    /// - Throws: `IdentityError`; with code `access_token_refused` when the endpoint rejects the access token. After a refresh, the
    ///   endpoint may accept the new access token.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        let metadata = try await metadata()
        guard let endpoint = metadata.userInfoEndpoint else { return tokens.buyer }
        let claims = try await userInfo(at: endpoint, metadata, for: tokens)
        return UserInfoResponse.buyer(from: claims, for: tokens.buyer)
    }

    /// Asks the UserInfo endpoint for all claims (OpenID Connect Core section 5.3).
    ///
    /// - Returns: The claims, whose `sub` is the ID token's, byte for byte.
    /// - Throws: `IdentityError`; with code `unsupported_by_provider` if the provider has no UserInfo endpoint; with code
    ///   `access_token_refused` when the endpoint rejects the access token. After a refresh, the endpoint may accept the new access token.
    public func userInfo(for tokens: TokenSet) async throws -> UserInfoClaims {
        let metadata = try await metadata()
        guard let endpoint = metadata.userInfoEndpoint else { throw Self.missing(.userInfo) }
        return try await userInfo(at: endpoint, metadata, for: tokens)
    }

    private func userInfo(
        at endpoint: HTTPURL,
        _ metadata: ProviderMetadata,
        for tokens: TokenSet
    ) async throws -> UserInfoClaims {
        try checkIssuer(of: tokens, is: metadata)
        let response = try await get(endpoint, with: tokens, asking: "The provider's UserInfo endpoint")
        let redacted = RequestSecrets(secrets: [tokens.accessToken])
        let object: JSONObject
        switch try UserInfoResponse.content(of: response, hiding: redacted) {
        case .object(let found): object = found
        case .token(let token): object = try await userInfoClaims(of: token, metadata, issuer: tokens.buyer.issuer)
        }
        return try UserInfoResponse.claims(
            object,
            for: tokens.buyer,
            acceptingNumericSubject: settings.acceptsNumericSubject
        )
    }

    private func userInfoClaims(
        of token: Secret,
        _ metadata: ProviderMetadata,
        issuer: String
    ) async throws -> JSONObject {
        guard let url = metadata.keySetURL else { throw Self.missing(.keySet) }
        let parsed = try? JSONWebToken(parsing: token)
        let named = parsed?.claims["iss"]?.string ?? issuer
        var expected = expectations(published: metadata.signatureAlgorithms)
        // If the provider has changed its issuer since the login, the response names the new issuer, but the session has the old issuer.
        // So an issuer that counts as the same issuer is accepted.
        expected.boundIssuer = issuers.isSame(named, as: issuer) ? named : issuer
        if algorithms == nil, let offered = metadata.userInfoAlgorithms {
            // A provider may sign UserInfo responses with another algorithm than ID tokens.
            expected.algorithms += offered.compactMap { SignatureAlgorithm(name: $0) }
        }
        return try await keySource.verifying(with: url, keyID: parsed?.keyID) {
            try UserInfoToken.validate(token, keys: $0, expecting: expected)
        }
    }
}
