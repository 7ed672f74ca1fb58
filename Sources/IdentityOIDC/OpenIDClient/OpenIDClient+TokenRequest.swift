internal import FoundationEssentials
internal import IdentityCrypto
package import IdentityHTTP
package import IdentityKit

extension OpenIDClient {
    /// Sends a token request.
    ///
    /// - Parameters:
    ///   - grant: What is asked for.
    ///   - fields: The form.
    ///   - metadata: Where the token endpoint is.
    ///   - key: The key that the tokens are to be bound to.
    /// - Returns: The answer, whose failure the caller judges, and when the request started: a token's life counts from there.
    func send(
        _ grant: TokenGrant,
        _ fields: [(name: String, value: String)],
        _ metadata: ProviderMetadata,
        provedBy key: DPoPKey?
    ) async throws -> (answer: TokenEndpointResponse, startedAt: Date) {
        guard let endpoint = metadata.tokenEndpoint else { throw Self.missing(.token) }
        let startedAt = httpClient.environment.clock.now
        let (response, sent) = try await authenticated(
            fields,
            headers: tokenRequestHeaders,
            to: endpoint,
            provedBy: key,
            asking: "The provider's token endpoint"
        )
        return (try TokenEndpointResponse(response, to: grant, hiding: sent), startedAt)
    }

    var tokenRequestHeaders: [(name: String, value: String)] {
        dialect.tokenRequestHeaders.map { ($0.name, $0.value.reveal()) }
    }

    /// A successful answer, its tokens bound to the key if one was proved.
    func response(
        _ object: JSONObject,
        provedBy key: DPoPKey?,
        acceptsUnboundTokens: Bool? = nil
    ) throws(IdentityError) -> TokenResponse {
        var rules = dialect.tokenRules
        if let acceptsUnboundTokens { rules.acceptsUnboundTokens = acceptsUnboundTokens }
        rules.usesDPoP = key != nil
        return try TokenResponse(object, rules: rules)
    }

    /// What every signed token of the provider for this client is checked against.
    func expectations(_ metadata: ProviderMetadata, _ answer: TokenResponse? = nil) -> IDTokenExpectations {
        var expected = IDTokenExpectations(
            issuers: dialect.issuers,
            audiences: dialect.audiences,
            algorithms: algorithms(metadata),
            now: httpClient.environment.clock.now
        )
        expected.allowsForeignAudiences = dialect.allowsForeignAudiences
        expected.acceptsNumericSubject = dialect.acceptsNumericSubject
        expected.accessToken = answer?.accessToken
        return expected
    }

    /// The configured algorithms, else those of the metadata that are asymmetric and known here, else RS256, the default of
    /// OpenID Connect Core section 3.1.3.7 item 7.
    private func algorithms(_ metadata: ProviderMetadata) -> [SignatureAlgorithm] {
        if let configured = dialect.algorithms { return configured }
        let offered = (metadata.signatureAlgorithms ?? []).compactMap { SignatureAlgorithm(rawValue: $0) }
        return offered.isEmpty ? [.rs256] : offered
    }

    /// Validates an ID token with the provider's keys.
    func validate(
        _ token: Secret,
        _ metadata: ProviderMetadata,
        _ expected: IDTokenExpectations
    ) async throws -> IDTokenClaims {
        try await withKeys(for: token, metadata) { try IDTokenValidator.validate(token, keys: $0, expecting: expected) }
    }

    /// Validates a signed token; for a key that is not known, asks the provider for newer keys as often as the budget allows.
    func withKeys<Claims>(
        for token: Secret,
        _ metadata: ProviderMetadata,
        validate: (JSONWebKeySet) throws -> Claims
    ) async throws -> Claims {
        guard let url = metadata.keySetURL else { throw Self.missing(.keySet) }
        // A token that cannot be read has no kid, and is refused before any key counts.
        let keyID = (try? JSONWebToken(parsing: token))?.keyID
        return try await keySource.verifying(with: url, keyID: keyID, validate)
    }

    /// The URL that ends the provider's own session (OpenID Connect RP-Initiated Logout 1.0 section 2).
    ///
    /// - Returns: Nil when the provider has no such page. Without `id_token_hint` where the ID token does not fit into a URL.
    package func logoutURL(
        for tokens: TokenSet,
        returningTo postLogoutRedirectURI: String?,
        state: Secret? = nil
    ) async throws -> HTTPURL? {
        guard let endpoint = try await metadataSource.metadata().endSessionEndpoint else { return nil }
        var fields = [("client_id", descriptor.clientID)]
        if let postLogoutRedirectURI { fields.append(("post_logout_redirect_uri", postLogoutRedirectURI)) }
        if let state { fields.append(("state", state.reveal())) }
        func url(_ fields: [(name: String, value: String)]) throws -> HTTPURL {
            try endpoint.appending(queryFields: String(decoding: FormEncoding.encode(fields), as: UTF8.self))
        }
        // An ID token may be larger than a URL. The hint is optional, and the provider knows the client by its name.
        if let hint = tokens.idToken, let url = try? url([("id_token_hint", hint.reveal())] + fields) { return url }
        do {
            return try url(fields)
        } catch {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The logout URL would be too long.",
                hint: "Shorten the post-logout redirect URI.",
                cause: error
            )
        }
    }
}
