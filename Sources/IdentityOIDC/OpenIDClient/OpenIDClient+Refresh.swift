internal import FoundationEssentials
internal import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// Makes sure that metadata and keys are in memory before a refresh, because the validation of the response's ID token needs both.
    ///
    /// The keys are fetched only if the old tokens have an ID token.
    ///
    /// - Throws: `IdentityError`; the refresh token was not sent.
    public func prepareRefresh(of tokens: TokenSet) async throws {
        guard tokens.refreshToken != nil else { throw IdentityError.withoutRefreshToken }
        let metadata = try await metadata()
        try checkIssuer(of: tokens, is: metadata)
        if tokens.idToken != nil, let keySet = metadata.keySetURL { _ = try await keySource.keys(at: keySet) }
    }

    /// Sends the refresh token while the session's lock is held (RFC 6749 section 6).
    ///
    /// - Returns: The response, if its status is 200 or 201; its body is not validated yet and may contain an error.
    /// - Throws: `RefreshRefusal` if the response has another status, if no response arrives, or if the request was not sent.
    public func requestRefresh(
        of tokens: TokenSet,
        under lock: HeldLock
    ) async throws(RefreshRefusal) -> RefreshResponse {
        do {
            guard let refreshToken = tokens.refreshToken else { throw IdentityError.withoutRefreshToken }
            let metadata = try await metadata()
            try checkIssuer(of: tokens, is: metadata)
            let fields: [(name: String, value: String)] = [
                ("grant_type", "refresh_token"), ("client_id", descriptor.clientID),
                ("refresh_token", refreshToken.reveal()),
            ]
            let (response, redacted, startedAt) = try await sendTokenRequest(
                fields + quirks.refreshFields(for: tokens),
                metadata,
                dpopKey: tokens.dpopKey,
                under: lock
            )
            if !TokenEndpointResponse.isSuccess(response.status),
                case .failure(let failure) = try TokenEndpointResponse(response, to: .refreshToken, hiding: redacted)
            {
                throw refusal(failure, metadata, sentProof: tokens.dpopKey != nil)
            }
            var received = RefreshResponse(
                status: response.status,
                body: Secret(bytes: response.body),
                startedAt: startedAt,
                receivedAt: httpClient.environment.clock.now
            )
            received.requestSecrets = redacted
            return received
        } catch {
            throw RefreshRefusal(error)
        }
    }

    /// Validates the response to a refresh and returns the new tokens.
    ///
    /// If the response lacks an optional value, such as the ID token, the new tokens keep the old value (OpenID Connect Core section 12).
    /// For a missing refresh token or `scope`, the provider's ``OpenIDQuirks`` decide.
    ///
    /// - Parameters:
    ///   - response: The response of ``requestRefresh(of:under:)``.
    ///   - tokens: The tokens that were refreshed.
    ///   - isBuyerKnown: Whether the buyer of the old tokens was verified; by default true. Pass false for a refresh token that an app
    ///     stored. The new ID token then determines the buyer, and is validated even if it equals the stored ID token. If the old tokens
    ///     have a buyer, the new ID token must name the same buyer.
    /// - Returns: The new tokens; without a buyer if `isBuyerKnown` is false and the response contains no ID token.
    /// - Throws: `RefreshRefusal` when the response contains neither an access token nor a refresh token. `IdentityError` when the response
    ///   contains a token, and always when the metadata cannot be fetched, or when the new ID token belongs to another login. In the last
    ///   case, `isAttackSuspected` of the error is true.
    public func tokens(
        from response: RefreshResponse,
        refreshing tokens: TokenSet,
        isBuyerKnown: Bool = true
    ) async throws -> TokenSet {
        let http = HTTPResponse(status: response.status, headers: HTTPHeaders(), body: response.body.revealBytes())
        let body = TokenEndpointResponse.parse(http)
        let object = try? body.get().object
        let idToken = (object?["id_token"]?.string).map { JSONWebToken.parsing(Secret($0)) }
        let hasBuyer = isBuyerKnown || !tokens.buyer.subject.isEmpty
        if hasBuyer, let idToken = try? idToken?.get() {
            // This check needs no metadata and no keys, because it verifies no signature. So an ID token of another login is reported even
            // if the response has other errors, or if metadata or keys cannot be fetched.
            var expected = expectations(published: [])
            expected.previous = tokens
            try IDTokenValidator.refuseTokenOfAnotherLogin(idToken, expecting: expected)
        }
        let metadata: ProviderMetadata
        do { metadata = try await self.metadata() } catch {
            throw IdentityError.wrapping(error).afterTokenResponse
        }
        // If another process sent the request, this process does not know the request's other secrets, such as a client assertion.
        let redacted =
            response.requestSecrets ?? RequestSecrets(secrets: [tokens.refreshToken].compactMap { $0 } + clientSecrets)
        let new: TokenResponse
        do {
            switch try TokenEndpointResponse(http, body, to: .refreshToken, hiding: redacted) {
            case .failure(let failure): throw refusal(failure, metadata, sentProof: tokens.dpopKey != nil)
            case .success(let object):
                new = try TokenResponse(
                    object,
                    settings: settings,
                    usesDPoP: tokens.dpopKey != nil,
                    // The type of the old tokens decides, not the configuration: a refresh of bound tokens must return bound tokens.
                    acceptsUnboundTokens: !TokenResponse.isBound(tokens.tokenType),
                    isRefresh: true
                )
            }
        } catch {
            // If the invalid response contains a token, the provider has accepted the old refresh token, so this is not a refusal.
            let names = ["access_token", "refresh_token"]
            guard names.contains(where: { object?[$0]?.string?.isEmpty == false }) else { throw RefreshRefusal(error) }
            throw error
        }
        var refreshed = tokens
        // The claims of an ID token that the app stored were never verified. They are removed here, and set below from the new ID token
        // after its validation.
        if !isBuyerKnown {
            refreshed.buyer = Buyer(issuer: "", subject: "")
            (refreshed.authorizedParty, refreshed.nonce, refreshed.authenticatedAt) = (nil, nil, nil)
        }
        refreshed.accessToken = new.accessToken
        refreshed.tokenType = new.tokenType
        refreshed.refreshToken = new.refreshToken ?? (settings.keepsRefreshToken ? tokens.refreshToken : nil)
        refreshed.scopes = new.scopes ?? quirks.scopes(afterRefreshing: tokens)
        refreshed.issuedAt = response.startedAt
        // Without a valid `expires_in`, the new access token gets the old token's lifetime, because a token without an expiry is never
        // due for a refresh. A lifetime that is not positive (the app stored an expired token) is ignored: every call would refresh again.
        let oldLifetime = tokens.expiresAt?.timeIntervalSince(tokens.issuedAt)
        let lifetime = new.lifetime ?? oldLifetime.flatMap { $0 > 0 ? $0 : nil }
        refreshed.expiresAt = lifetime.map { response.startedAt + $0 }
        if !new.refreshTokenScopes.isEmpty { refreshed.refreshTokenScopes = new.refreshTokenScopes }
        // Some providers return the session's ID token again. A second validation could fail, because the `at_hash` in this ID token
        // belongs to the old access token.
        let isRepeated = isBuyerKnown && new.idToken.map { tokens.idToken?.isEqual(to: $0) == true } ?? false
        if new.idToken != nil, !isRepeated, let idToken {
            var expected = expectations(published: metadata.signatureAlgorithms, accessToken: new.accessToken)
            // If the old tokens have a buyer, the ID token must belong to the same login (OpenID Connect Core section 12.2).
            expected.previous = hasBuyer ? tokens : nil
            // The response may have been stored for hours, so the times in the ID token are checked against the time of the receipt.
            expected.receivedAt = response.receivedAt
            let claims: IDTokenClaims
            do { claims = try await validate(idToken, metadata, expected) } catch {
                throw IdentityError.wrapping(error).afterTokenResponse
            }
            if !isBuyerKnown {
                refreshed.buyer = quirks.buyer(from: claims)
                refreshed.authorizedParty = claims.authorizedParty
                refreshed.nonce = claims.nonce
                refreshed.authenticatedAt = claims.authenticatedAt
            }
            refreshed.idToken = new.idToken
            refreshed.claims = claims.kept
            refreshed.providerSessionID = claims.providerSessionID ?? tokens.providerSessionID
        }
        return refreshed
    }

    /// A token set for a refresh token that an app stored, for ``tokens(from:refreshing:isBuyerKnown:)`` with `isBuyerKnown` false.
    ///
    /// From a stored ID token, the token set gets the claims that the client compares with the next ID token (OpenID Connect Core section
    /// 12.2). This function does not verify the stored ID token, which may have expired.
    package func storedTokens(_ refreshToken: Secret, idToken: Secret?) throws(IdentityError) -> TokenSet {
        var tokens = TokenSet(
            buyer: Buyer(issuer: "", subject: ""),
            accessToken: Secret(""),
            refreshToken: refreshToken,
            idToken: idToken,
            scopes: configuration.scopes,
            issuedAt: httpClient.environment.clock.now
        )
        guard let idToken else { return tokens }
        let claims = (try? JSONWebToken(parsing: idToken))?.claims
        let subject = claims.flatMap { SignedTokenChecks.subject($0, acceptingNumber: settings.acceptsNumericSubject) }
        guard let claims, let issuer = claims["iss"]?.string, let subject, !issuer.isEmpty, !subject.isEmpty else {
            throw IdentityError(
                .rejected,
                .idTokenMalformed,
                "The stored ID token is not a JWT with iss and sub, so the refresh token was not sent.",
                hint:
                    "Pass the ID token of the login unchanged, or pass no ID token. Without a stored ID token, an ID token of the "
                    + "response is not compared with the login.",
                reference: "OpenID Connect Core section 12.2"
            )
        }
        tokens.buyer = Buyer(issuer: issuer, subject: subject)
        tokens.authorizedParty = claims["azp"]?.string
        tokens.nonce = (claims["nonce"]?.string).map { Secret($0) }
        tokens.authenticatedAt = (claims["auth_time"]?.number?.double).map { Date(timeIntervalSince1970: $0) }
        return tokens
    }
}

extension IdentityError {
    /// The error to throw instead of this error after the token endpoint has responded.
    ///
    /// A failure to fetch metadata or keys becomes a temporary error, because the token response can be validated later. The
    /// temporary error has no `providerResponse`, which would show the response of another endpoint. Other errors stay unchanged.
    package var afterTokenResponse: IdentityError {
        let ofOthers: [Code] = [.discoveryFailed, .discoveryIssuerMismatch, .redirectRefused, .unsupportedByProvider]
        guard kind == .retryLater || ofOthers.contains(code) || cause is HTTPTransportError else { return self }
        return IdentityError(.retryLater, code, message, hint: hint, reference: reference, retryAfter: retryAfter)
    }
}
