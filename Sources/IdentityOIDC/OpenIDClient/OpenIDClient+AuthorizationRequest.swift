internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// How an authorization request uses PKCE (RFC 7636).
    public enum PKCEUse: Sendable {
        /// A new code verifier for this login.
        case newVerifier
        /// A code verifier of the app.
        case own(PKCE)
        /// No PKCE, for providers that do not support it.
        case disabled
    }

    /// Creates the authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
    ///
    /// - Parameters:
    ///   - options: The options of this login.
    ///   - pkce: How PKCE is used; nil follows ``OpenIDQuirkSettings/usesPKCE``.
    /// - Returns: The authorization URL and the attempt to store.
    /// - Throws: `IdentityError`.
    public func authorizationRequest(
        _ options: LoginOptions,
        pkce: PKCEUse? = nil
    ) async throws -> AuthorizationRequest {
        let options = withDefaults(options)
        let metadata = try await metadataSource.metadata()
        guard let endpoint = metadata.authorizationEndpoint else {
            throw Self.missing(.authorization)
        }
        let random = try httpClient.environment.random.exactly(settings.stateByteCount + 64)
        let pkce = try self.pkce(pkce, randomBytes: random.suffix(32))
        try checkSupport(metadata, usesPKCE: pkce != nil)
        let fullState = Base64URL.encode(random.prefix(settings.stateByteCount))
        let state = settings.stateLength.map { String(fullState.prefix($0)) } ?? fullState
        let nonce =
            settings.sendsNonce ? Base64URL.encode(random.dropFirst(settings.stateByteCount).prefix(32)) : nil
        let dpopKey = try newDPoPKey(metadata)
        // The configured redirect URI was checked when the client was created.
        if let redirectURI = options.redirectURI { try RedirectURI.check(redirectURI) }
        let redirectURI = options.redirectURI ?? descriptor.redirectURI
        let scopes = options.scopes ?? configuration.scopes

        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(8)
        fields.append(("state", state))
        if let nonce { fields.append(("nonce", nonce)) }
        if let pkce {
            fields.append(("code_challenge", pkce.challenge))
            fields.append(("code_challenge_method", "S256"))
        }
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
            responseMode: configuration.responseMode,
            dpopKey: try dpopKey?.secret(),
            createdAt: now,
            // `SessionManager` replaces this time with its `attemptLifetime`.
            expiresAt: now + 600
        )
        var encoded = fixedFields
        if configuration.pushesAuthorizationRequest || metadata.requiresPushedRequests {
            fields = Self.fixedFields(configuration, scopes: scopes, redirectURI: redirectURI) + fields
            let requestURI = try await push(fields, metadata, dpopKey: dpopKey)
            fields = [("client_id", descriptor.clientID), ("request_uri", requestURI.reveal())]
            encoded = []
        } else if options.scopes != nil || options.redirectURI != nil {
            encoded = FormEncoding.encode(
                Self.fixedFields(configuration, scopes: scopes, redirectURI: redirectURI)
            )
        }
        do {
            return AuthorizationRequest(url: try endpoint.appending(encoded: encoded, fields: fields), attempt: attempt)
        } catch {
            let canPush = !encoded.isEmpty && metadata.pushedAuthorizationRequestEndpoint != nil
            throw IdentityError(
                configuration: "The authorization URL would be too long.",
                hint: "Shorten scopes, authorizationParameters or the options of the login"
                    + (canPush ? ", or (kind openid) set pushedAuthorization to true." : "."),
                reference: "RFC 9126 section 1",
                cause: error
            )
        }
    }

    /// The parameters that differ only between clients, scopes and redirect URIs.
    static func fixedFields(
        _ configuration: Configuration,
        scopes: [String],
        redirectURI: String?
    ) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if !configuration.clientID.isEmpty { fields.append(("client_id", configuration.clientID)) }
        fields.append(("response_type", "code"))
        fields.append(("scope", scopes.joined(separator: " ")))
        if let redirectURI { fields.append(("redirect_uri", redirectURI)) }
        let mode = configuration.responseMode
        if mode != .query { fields.append(("response_mode", mode.rawValue)) }
        return fields
    }

    private func pkce(_ use: PKCEUse?, randomBytes: ArraySlice<UInt8>) throws -> PKCE? {
        switch use ?? (settings.usesPKCE ? .newVerifier : .disabled) {
        case .newVerifier: try PKCE(randomBytes: randomBytes)
        case .own(let pkce): pkce
        case .disabled: nil
        }
    }

    /// Refuses to start a login if the metadata say that the provider does not support what the login needs.
    private func checkSupport(_ metadata: ProviderMetadata, usesPKCE: Bool) throws(IdentityError) {
        if usesPKCE, let methods = metadata.codeChallengeMethods, !methods.contains("S256") {
            throw IdentityError(
                .configuration,
                .unsupportedByProvider,
                "The provider does not support PKCE with S256.",
                hint: "Ask the provider for S256. The method plain is not used, because it does not protect the code.",
                reference: "RFC 9700 section 2.1.1"
            )
        }
        let mode = configuration.responseMode
        if mode != .query, let modes = metadata.responseModes, !modes.contains(mode.rawValue) {
            throw IdentityError(
                .configuration,
                .unsupportedByProvider,
                "The provider does not support the response mode \(mode.rawValue).",
                hint: "Set responseMode to query: the response then comes in a redirect.",
                reference: "OAuth 2.0 Multiple Response Type Encoding Practices section 2.1"
            )
        }
    }
}
