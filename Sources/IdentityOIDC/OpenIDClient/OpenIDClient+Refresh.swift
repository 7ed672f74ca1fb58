internal import FoundationEssentials
internal import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// Refreshes the tokens (RFC 6749 section 6, OpenID Connect Core section 12), in one call.
    ///
    /// - Parameters:
    ///   - tokens: The old tokens; the new ones keep what the response does not contain.
    ///   - isBuyerKnown: Whether the old tokens have a buyer, with whom the buyer of a new ID token is compared. False for a refresh
    ///     token that an app stored without the buyer.
    /// - Returns: The new tokens.
    /// - Throws: `IdentityError`.
    public func refresh(_ tokens: TokenSet, isBuyerKnown: Bool = true) async throws -> TokenSet {
        try await prepareRefresh(of: tokens)
        do {
            let answer = try await requestRefresh(of: tokens, under: .notNeeded)
            return try await self.tokens(from: answer, refreshing: tokens, isBuyerKnown: isBuyerKnown)
        } catch let refusal as RefreshRefusal {
            throw refusal.error
        }
    }

    /// Fetches metadata and keys before the refresh token is sent, because the response's ID token cannot be validated without them.
    ///
    /// - Throws: `IdentityError`; the refresh token was not sent.
    public func prepareRefresh(of tokens: TokenSet) async throws {
        guard tokens.refreshToken != nil else { throw Self.withoutRefreshToken }
        let metadata = try await metadataSource.metadata()
        if tokens.idToken != nil, let keySet = metadata.keySetURL { _ = try await keySource.keys(at: keySet) }
    }

    /// Sends the refresh token while the session's lock is held.
    ///
    /// - Returns: The response, if its status is a success; it is not validated yet.
    /// - Throws: `RefreshRefusal` if the response is an error, if no response arrives, or if the request could not be sent.
    public func requestRefresh(
        of tokens: TokenSet,
        under lock: HeldLock
    ) async throws(RefreshRefusal) -> RefreshAnswer {
        do {
            return try await sendRefresh(of: tokens, under: lock)
        } catch {
            throw RefreshRefusal(error)
        }
    }

    private func sendRefresh(of tokens: TokenSet, under lock: HeldLock) async throws -> RefreshAnswer {
        guard let refreshToken = tokens.refreshToken else { throw Self.withoutRefreshToken }
        let metadata = try await metadataSource.metadata()
        guard let endpoint = metadata.tokenEndpoint else { throw Self.missing(.token) }
        let fields: [(name: String, value: String)] = [
            ("grant_type", "refresh_token"), ("client_id", descriptor.clientID),
            ("refresh_token", refreshToken.reveal()),
        ]
        let startedAt = httpClient.environment.clock.now
        let (response, redacted) = try await authenticated(
            fields + quirks.refreshFields(for: tokens),
            headers: tokenRequestHeaders,
            to: endpoint,
            dpopKey: try tokens.dpopKey.map { try DPoPKey($0) },
            under: lock,
            asking: "The provider's token endpoint"
        )
        if !TokenEndpointResponse.isSuccess(response.status),
            case .failure(let failure) = try TokenEndpointResponse(response, to: .refreshToken, hiding: redacted)
        {
            throw refusal(failure, metadata)
        }
        var answer = RefreshAnswer(
            status: response.status,
            body: Secret(bytes: response.body),
            startedAt: startedAt,
            receivedAt: httpClient.environment.clock.now
        )
        answer.sent = redacted
        return answer
    }

    /// Validates a response and returns the new tokens, which keep what the response does not contain.
    ///
    /// - Throws: `RefreshRefusal` when the response contains no token; another error when it may contain one, with
    ///   `isAttackSuspected` when it belongs to another login.
    public func tokens(
        from answer: RefreshAnswer,
        refreshing tokens: TokenSet,
        isBuyerKnown: Bool = true
    ) async throws -> TokenSet {
        if isBuyerKnown { try refuseTokenOfAnotherLogin(answer, refreshing: tokens) }
        let metadata: ProviderMetadata
        do { metadata = try await metadataSource.metadata() } catch {
            throw IdentityError.wrapping(error).afterTokenResponse
        }
        let httpResponse = HTTPResponse(status: answer.status, headers: HTTPHeaders(), body: answer.body.revealBytes())
        // If another process sent the request, its other secrets, such as a client assertion, are unknown here.
        let redacted = answer.sent ?? RedactedValues(secrets: [tokens.refreshToken].compactMap { $0 } + clientSecrets)
        let response: TokenResponse
        do {
            response = try read(httpResponse, refreshing: tokens, metadata, hiding: redacted)
        } catch {
            guard Self.containsTokens(httpResponse.body) else { throw RefreshRefusal(error) }
            throw error
        }
        var refreshed = tokens
        refreshed.accessToken = response.accessToken
        refreshed.tokenType = response.tokenType
        refreshed.refreshToken = response.refreshToken ?? (settings.keepsRefreshToken ? tokens.refreshToken : nil)
        refreshed.scopes = response.scopes ?? quirks.scopes(afterRefreshing: tokens)
        refreshed.issuedAt = answer.startedAt
        // A response without expires_in does not mean an unlimited token: the old lifetime is used.
        let lifetime = response.lifetime ?? tokens.expiresAt?.timeIntervalSince(tokens.issuedAt)
        refreshed.expiresAt = lifetime.map { answer.startedAt + $0 }
        let refreshScopes = refreshScopes(response)
        if !refreshScopes.isEmpty { refreshed.refreshTokenScopes = refreshScopes }
        if let idToken = response.idToken {
            var expected = expectations(metadata, response)
            expected.previous = isBuyerKnown ? tokens : nil
            // The response may have been stored for hours, so its ID token is checked with the time of its receipt.
            expected.receivedAt = answer.receivedAt
            let claims = try await validateRefreshed(idToken, metadata, expected)
            if !isBuyerKnown { refreshed.buyer = quirks.buyer(from: claims) }
            refreshed.idToken = idToken
            refreshed.claims = claims.kept
            refreshed.providerSessionID = claims.providerSessionID ?? tokens.providerSessionID
        }
        return refreshed
    }

    /// Reads the tokens of a response.
    private func read(
        _ response: HTTPResponse,
        refreshing tokens: TokenSet,
        _ metadata: ProviderMetadata,
        hiding redacted: RedactedValues
    ) throws -> TokenResponse {
        switch try TokenEndpointResponse(response, to: .refreshToken, hiding: redacted) {
        case .failure(let failure): throw refusal(failure, metadata)
        case .success(let object):
            return try self.response(
                object,
                dpopKey: try tokens.dpopKey.map { try DPoPKey($0) },
                // The session decides this, not the configuration: bound tokens stay bound, and bearer tokens stay accepted.
                acceptsUnboundTokens: !TokenResponse.isBound(tokens.tokenType)
            )
        }
    }

    /// Whether a body contains a token, even if it is invalid otherwise: then the old refresh token was used.
    private static func containsTokens(_ body: [UInt8]) -> Bool {
        guard let object = (try? JSONValue(parsing: body))?.object else { return false }
        return ["access_token", "refresh_token"].contains { object[$0]?.string?.isEmpty == false }
    }

    /// Validates the ID token of a refresh, which must belong to the same login (OpenID Connect Core section 12.2).
    private func validateRefreshed(
        _ idToken: Secret,
        _ metadata: ProviderMetadata,
        _ expected: SignedTokenExpectations
    ) async throws -> IDTokenClaims {
        do {
            return try await validate(idToken, metadata, expected)
        } catch {
            throw IdentityError.wrapping(error).afterTokenResponse
        }
    }

    private static var withoutRefreshToken: IdentityError {
        IdentityError(
            .signInAgain,
            .notRefreshable,
            "The session has no refresh token.",
            hint: "Let the buyer sign in again.",
            reference: "RFC 6749 section 6"
        )
    }
}
