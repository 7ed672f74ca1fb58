public import IdentityKit

extension OpenIDClient {
    /// Checks the callback and exchanges its code for tokens.
    ///
    /// The code is sent again only if the server requires a DPoP nonce, not after another failure.
    ///
    /// - Throws: `IdentityError`; with code `attempt_expired` after the attempt has expired.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        let code = try await authorizationCode(in: callback, for: attempt)
        var tokens = try await exchange(code: code, for: attempt)
        if settings.readsUserParameter { tokens.buyer = UserParameter.completed(tokens.buyer, from: callback) }
        return tokens
    }

    /// Checks the callback and returns its authorization code without using it.
    ///
    /// - Throws: `IdentityError`; with code `attempt_expired` after the attempt has expired.
    public func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret {
        try attempt.checkExpiry(at: httpClient.environment.clock.now)
        return try code(in: callback, for: attempt, try await metadata())
    }

    /// Checks the callback as far as possible without a request, and returns its authorization code.
    ///
    /// Unlike ``authorizationCode(in:for:)``, this function does not check the expiry of the attempt, and does not require an `iss` that
    /// the provider's metadata promise (RFC 9207).
    public func authorizationCodeWithoutMetadata(
        in callback: LoginCallback,
        for attempt: LoginAttempt
    ) throws(IdentityError) -> Secret {
        try code(in: callback, for: attempt, nil)
    }

    private func code(
        in callback: LoginCallback,
        for attempt: LoginAttempt,
        _ metadata: ProviderMetadata?
    ) throws(IdentityError) -> Secret {
        do {
            return try AuthorizationResponse.code(
                in: callback,
                for: attempt,
                accepting: issuers,
                requiresIssuer: metadata?.sendsIssuerInResponse ?? false,
                settings: settings
            )
        } catch {
            throw refusal(error, of: attempt, metadata)
        }
    }

    /// Exchanges a checked authorization code (RFC 6749 section 4.1.3), without a check of the attempt's expiry.
    ///
    /// - Throws: `IdentityError`.
    public func exchange(code: Secret, for attempt: LoginAttempt) async throws -> TokenSet {
        // The app may pass a code that `AuthorizationResponse` has not checked. Some providers send the name of an error as the code.
        try AuthorizationResponse.check(code, isNotOneOf: settings.errorsInCode)
        let metadata = try await metadata()
        try checkIssuer(attempt.issuer, is: metadata)
        var fields: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("client_id", descriptor.clientID), ("code", code.reveal()),
        ]
        if let redirectURI = attempt.redirectURI { fields.append(("redirect_uri", redirectURI)) }
        if let verifier = attempt.codeVerifier { fields.append(("code_verifier", verifier.reveal())) }
        fields += quirks.codeExchangeFields(for: attempt)
        let (response, redacted, startedAt) = try await sendTokenRequest(fields, metadata, dpopKey: attempt.dpopKey)
        switch try TokenEndpointResponse(response, to: .authorizationCode, hiding: redacted) {
        case .success(let object): return try await loginTokens(object, startedAt, attempt, metadata)
        case .failure(let failure): throw refusal(failure, metadata, sentProof: attempt.dpopKey != nil)
        }
    }
}
