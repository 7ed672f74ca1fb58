internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
package import IdentityKit

extension OpenIDClient {
    /// Makes the authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
    ///
    /// - Parameters:
    ///   - options: What the app asks for.
    ///   - pkce: The app's own PKCE verifier, where it keeps one; a fresh one unless given.
    package func authorizationRequest(
        _ options: LoginOptions,
        pkce: PKCE? = nil
    ) async throws -> AuthorizationRequest {
        let options = completed(options)
        let metadata = try await metadataSource.metadata()
        guard let endpoint = metadata.authorizationEndpoint else {
            throw Self.missing(.authorization)
        }
        try checkOffers(metadata)
        let random = try httpClient.environment.random.bytes(dialect.stateByteCount + 64)
        let fullState = Base64URL.encode(Array(random.prefix(dialect.stateByteCount)))
        let state = dialect.stateLength.map { String(fullState.prefix($0)) } ?? fullState
        let nonce =
            dialect.sendsNonce ? Base64URL.encode(Array(random.dropFirst(dialect.stateByteCount).prefix(32))) : nil
        let pkce =
            dialect.usesPKCE ? try pkce ?? PKCE(randomBytes: Array(random.suffix(32))) : nil
        let dpopKey = try newDPoPKey(metadata)
        let redirectURI = options.redirectURI ?? descriptor.redirectURI
        if let redirectURI { try RedirectURI.check(redirectURI) }
        let scopes = options.scopes ?? self.scopes

        var fields: [(name: String, value: String)] =
            descriptor.clientID.isEmpty ? [] : [("client_id", descriptor.clientID)]
        fields += [("response_type", "code"), ("scope", scopes.joined(separator: " ")), ("state", state)]
        if let redirectURI { fields.append(("redirect_uri", redirectURI)) }
        if dialect.responseMode != .query { fields.append(("response_mode", dialect.responseMode.rawValue)) }
        if let nonce { fields.append(("nonce", nonce)) }
        if let pkce { fields += [("code_challenge", pkce.challenge), ("code_challenge_method", "S256")] }
        if let dpopKey { fields.append(("dpop_jkt", try dpopKey.thumbprint())) }
        try add(options, to: &fields)

        let now = httpClient.environment.clock.now
        let attempt = LoginAttempt(
            provider: descriptor.name,
            state: Secret(state),
            nonce: nonce.map { Secret($0) },
            codeVerifier: pkce?.verifier,
            issuer: boundIssuer(metadata),
            redirectURI: redirectURI,
            scopes: scopes,
            maximumAgeSeconds: options.maximumAgeSeconds,
            authenticationContexts: options.authenticationContexts,
            responseMode: dialect.responseMode,
            dpopKey: try dpopKey?.secret(),
            createdAt: now,
            expiresAt: now + 600
        )
        if dialect.pushesAuthorizationRequest || metadata.requiresPushedRequests {
            let reference = try await push(fields, metadata, provedBy: dpopKey)
            fields = [("client_id", descriptor.clientID), ("request_uri", reference.reveal())]
        }
        do {
            let query = String(decoding: FormEncoding.encode(fields), as: UTF8.self)
            return AuthorizationRequest(url: try endpoint.appending(queryFields: query), attempt: attempt)
        } catch {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The authorization URL would be too long.",
                hint: "Shorten scopes or authorizationParameters, or set pushedAuthorization to true.",
                cause: error
            )
        }
    }

    /// Deposits the authorization request at the provider, so that the buyer's browser carries a reference only (RFC 9126).
    ///
    /// - Returns: The reference.
    private func push(
        _ fields: [(name: String, value: String)],
        _ metadata: ProviderMetadata,
        provedBy key: DPoPKey?
    ) async throws -> Secret {
        guard let endpoint = metadata.pushedAuthorizationRequestEndpoint else {
            throw Self.missing(.pushedAuthorization)
        }
        let (response, sent) = try await authenticated(
            fields,
            headers: dialect.tokenRequestHeaders.map { ($0.name, $0.value.reveal()) },
            to: endpoint,
            provedBy: key,
            asking: "The provider's pushed authorization request endpoint"
        )
        switch try PushedAuthorizationResponse(response, hiding: sent) {
        case .reference(let reference): return reference
        case .failure(let failure):
            // A refused client before a refused request: some providers answer 401 with invalid_request.
            throw clientRefusal(failure, metadata) ?? failure.pushedRequestError ?? refusal(failure, metadata)
        }
    }

    /// Refuses to begin a login that the provider's metadata say it cannot answer as asked.
    private func checkOffers(_ metadata: ProviderMetadata) throws(IdentityError) {
        if dialect.usesPKCE, let methods = metadata.codeChallengeMethods, !methods.contains("S256") {
            throw IdentityError(
                .configuration,
                .unsupportedByProvider,
                "The provider does not offer PKCE with S256.",
                hint: "A weaker method is not used.",
                reference: "RFC 9700 section 2.1.1"
            )
        }
        if dialect.responseMode != .query, let modes = metadata.responseModes,
            !modes.contains(dialect.responseMode.rawValue)
        {
            throw IdentityError(
                .configuration,
                .unsupportedByProvider,
                "The provider does not offer the response mode \(dialect.responseMode.rawValue).",
                hint: "Leave responseMode out, and redirects bring the answer.",
                reference: "OAuth 2.0 Multiple Response Type Encoding Practices section 2.1"
            )
        }
    }
}
