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
        /// No PKCE, for providers that do not support PKCE.
        case disabled
    }

    /// Creates an authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1) and its login attempt.
    ///
    /// Store the attempt until the callback: the code exchange needs it. If `pkce` is nil, ``OpenIDQuirkSettings/usesPKCE`` decides.
    ///
    /// - Throws: `IdentityError`.
    public func authorizationRequest(
        _ options: LoginOptions,
        pkce: PKCEUse? = nil
    ) async throws -> AuthorizationRequest {
        var options = options
        options.complete(by: configuration.loginDefaults)
        let current = try await discovery.current()
        guard let endpoint = current.metadata.authorizationEndpoint else {
            throw Self.missing(.authorization)
        }
        let random = try httpClient.environment.random.exactly(settings.stateByteCount + 64)
        let pkce = try self.pkce(pkce, randomBytes: random.suffix(32))
        try checkSupport(
            methods: pkce == nil ? nil : current.metadata.codeChallengeMethods,
            modes: current.metadata.responseModes
        )
        let state = state(random.prefix(settings.stateByteCount))
        let nonce =
            settings.sendsNonce
            ? Secret(Base64URL.encodeSecret(random.dropFirst(settings.stateByteCount).prefix(32))) : nil
        let dpopKey = try newDPoPKey(current.metadata.dpopAlgorithms)
        // The client's initializer has checked the configured redirect URI.
        if let redirectURI = options.redirectURI { try RedirectURI.check(redirectURI) }
        let redirectURI = options.redirectURI ?? descriptor.redirectURI
        let scopes = options.scopes ?? configuration.scopes

        var query =
            options.scopes == nil && options.redirectURI == nil
            ? fixedFields
            : FormEncoding.encode(Self.fixedFields(configuration, scopes: scopes, redirectURI: redirectURI))
        query.reserveCapacity(query.count + 256)
        Self.append("&state=", state, to: &query)
        if let nonce { Self.append("&nonce=", nonce, to: &query) }
        if let pkce {
            Self.append("&code_challenge=", to: &query)
            query += pkce.challenge.utf8
            Self.append("&code_challenge_method=S256", to: &query)
        }
        if let dpopKey { query += "&dpop_jkt=\(try dpopKey.thumbprint())".utf8 }
        var fields: [(name: String, value: String)] = []
        try add(options, to: &fields)
        FormEncoding.append(fields, to: &query)

        let now = httpClient.environment.clock.now
        let isPushed = configuration.pushesAuthorizationRequest || current.metadata.requiresPushedRequests
        if isPushed {
            let requestURI = try await pushAuthorizationRequest(query, current.metadata, dpopKey: dpopKey)
            query = FormEncoding.encode([
                ("client_id", descriptor.clientID), ("request_uri", requestURI.reveal()),
            ])
        }
        let url: HTTPURL
        do {
            url = try endpoint.appending(encoded: query)
        } catch {
            let canPush = !isPushed && current.metadata.pushedAuthorizationRequestEndpoint != nil
            throw IdentityError(
                configuration: "The authorization URL would be longer than 8 KiB.",
                hint: isPushed
                    ? "Report to the provider that its request_uri is too long for a URL."
                    : "Shorten scopes or authorizationParameters in the provider's configuration, or the options of the login"
                        + (canPush
                            ? ". Or, with kind openid, set pushedAuthorization (in Swift: pushesAuthorizationRequest) to true."
                            : "."),
                reference: "RFC 9126 section 1",
                cause: error
            )
        }
        return AuthorizationRequest(
            url: url,
            attempt: LoginAttempt(
                provider: descriptor.name,
                state: state,
                nonce: nonce,
                codeVerifier: pkce?.verifier,
                issuer: boundIssuer(current.metadata.issuer),
                redirectURI: redirectURI,
                scopes: scopes,
                maximumAgeSeconds: options.maximumAgeSeconds,
                authenticationContexts: options.authenticationContexts,
                responseMode: configuration.responseMode,
                dpopKey: try dpopKey?.secret(),
                createdAt: now,
                // `SessionManager` replaces this time: its `attemptLifetime` decides when the attempt expires.
                expiresAt: now + 600
            )
        )
    }

    private func state(_ randomBytes: ArraySlice<UInt8>) -> Secret {
        let state = Secret(Base64URL.encodeSecret(randomBytes))
        return settings.stateLength.map { Secret(bytes: Array(state.revealBytes().prefix($0))) } ?? state
    }

    /// Appends a parameter whose value needs no escapes.
    private static func append(_ name: StaticString, _ value: Secret, to query: inout [UInt8]) {
        append(name, to: &query)
        unsafe value.bytes.withUnsafeBytes { unsafe query.append(contentsOf: $0) }
    }

    /// Appends a constant text, which is faster than appending the UTF-8 view of a `String`.
    private static func append(_ text: StaticString, to query: inout [UInt8]) {
        unsafe query.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

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

    private func checkSupport(methods: [String]?, modes: [String]?) throws(IdentityError) {
        if let methods, !methods.contains("S256") {
            throw IdentityError(
                unsupported: "The provider does not support the PKCE method S256, according to its metadata.",
                hint:
                    "Ask the provider to support S256. The SDK does not use the method plain, which would show the code verifier in the "
                    + "URL.",
                reference: "RFC 9700 section 2.1.1"
            )
        }
        let mode = configuration.responseMode
        if mode != .query, let modes, !modes.contains(mode.rawValue) {
            throw IdentityError(
                unsupported:
                    "The provider does not support the response mode \(mode.rawValue), according to its metadata.",
                hint:
                    "Set responseMode in the provider's configuration to query: the provider then sends its response in a redirect.",
                reference: "OAuth 2.0 Multiple Response Type Encoding Practices section 2.1"
            )
        }
    }
}
