internal import FoundationEssentials
internal import IdentityHTTP
package import IdentityKit

extension OpenIDClient {
    /// Spends a refresh token (RFC 6749 section 6, OpenID Connect Core section 12), all steps at once.
    ///
    /// - Parameters:
    ///   - tokens: The old tokens; what the answer leaves out is carried over.
    ///   - isBuyerKnown: Whether the old tokens say whose they are. A bare refresh token that an app kept says nothing; then an
    ///     ID token in the answer has no login to continue.
    package func refresh(_ tokens: TokenSet, isBuyerKnown: Bool = true) async throws -> TokenSet {
        try await prepareRefresh(of: tokens)
        do {
            let answer = try await requestRefresh(of: tokens, under: .kernel)
            return try await self.tokens(from: answer, refreshing: tokens, isBuyerKnown: isBuyerKnown)
        } catch let refusal as RefreshRefusal {
            throw refusal.error
        }
    }

    /// Fetches metadata and keys before the token is spent: an answer whose ID token cannot be checked for want of keys would have
    /// to wait.
    package func prepareRefresh(of tokens: TokenSet) async throws {
        guard tokens.refreshToken != nil else { throw Self.withoutRefreshToken }
        let metadata = try await metadataSource.metadata()
        if tokens.idToken != nil, let keySet = metadata.keySetURL { _ = try await keySource.keys(at: keySet) }
    }

    /// Sends the refresh token while the session's lock is held.
    ///
    /// - Returns: Whatever came with a status of success.
    /// - Throws: A refusal for any other answer and for none.
    package func requestRefresh(
        of tokens: TokenSet,
        under hold: SessionHold
    ) async throws(RefreshRefusal) -> RefreshAnswer {
        do {
            return try await answerToRefresh(of: tokens, under: hold)
        } catch {
            throw RefreshRefusal(error)
        }
    }

    private func answerToRefresh(of tokens: TokenSet, under hold: SessionHold) async throws -> RefreshAnswer {
        guard let refreshToken = tokens.refreshToken else { throw Self.withoutRefreshToken }
        let metadata = try await metadataSource.metadata()
        guard let endpoint = metadata.tokenEndpoint else { throw Self.missing(.token) }
        let fields: [(name: String, value: String)] = [
            ("grant_type", "refresh_token"), ("client_id", descriptor.clientID),
            ("refresh_token", refreshToken.reveal()),
        ]
        let startedAt = httpClient.environment.clock.now
        let (response, sent) = try await authenticated(
            fields + dialect.refreshFields(tokens),
            headers: tokenRequestHeaders,
            to: endpoint,
            provedBy: try tokens.dpopKey.map { try DPoPKey($0) },
            under: hold,
            asking: "The provider's token endpoint"
        )
        guard TokenEndpointResponse.isSuccess(response.status) else {
            switch try TokenEndpointResponse(response, to: .refreshToken, hiding: sent) {
            case .failure(let failure): throw refusal(failure, metadata)
            // Not reached: no other status is a success.
            case .success: throw Self.withoutRefreshToken
            }
        }
        var answer = RefreshAnswer(
            status: response.status,
            body: Secret(bytes: response.body),
            startedAt: startedAt,
            receivedAt: httpClient.environment.clock.now
        )
        answer.sent = sent
        return answer
    }

    /// Judges an answer and makes the new tokens of it; what it leaves out is carried over.
    package func tokens(
        from kept: RefreshAnswer,
        refreshing tokens: TokenSet,
        isBuyerKnown: Bool = true
    ) async throws -> TokenSet {
        let metadata: ProviderMetadata
        do { metadata = try await metadataSource.metadata() } catch {
            throw IdentityError.wrapping(error).behindTokenAnswer
        }
        let response = HTTPResponse(status: kept.status, headers: HTTPHeaders(), body: kept.body.revealBytes())
        // Where it was kept by a process that has died, what else it sent is not known any more.
        let sent = kept.sent ?? RedactedValues(secrets: [tokens.refreshToken].compactMap { $0 } + secretsOfClient)
        let answer: TokenResponse
        do {
            answer = try read(response, refreshing: tokens, metadata, hiding: sent)
        } catch {
            guard Self.holdsTokens(response.body) else { throw RefreshRefusal(error) }
            throw error
        }
        var renewed = tokens
        renewed.accessToken = answer.accessToken
        renewed.tokenType = answer.tokenType
        renewed.refreshToken = answer.refreshToken ?? (dialect.keepsRefreshToken ? tokens.refreshToken : nil)
        renewed.scopes = answer.scopes ?? dialect.scopesOfSilentRefresh(tokens)
        renewed.issuedAt = kept.startedAt
        // An answer that does not say means no everlasting token: the lifetime is taken to be the one before.
        let lifetime = answer.lifetime ?? tokens.expiresAt?.timeIntervalSince(tokens.issuedAt)
        renewed.expiresAt = lifetime.map { kept.startedAt + $0 }
        let refreshScopes = refreshScopes(answer)
        if !refreshScopes.isEmpty { renewed.refreshTokenScopes = refreshScopes }
        if let idToken = answer.idToken {
            var expected = expectations(metadata, answer)
            expected.previous = isBuyerKnown ? tokens : nil
            // The answer may have been stored for hours: its times are those of its receipt.
            expected.receivedAt = kept.receivedAt
            let claims = try await continued(idToken, metadata, expected)
            if !isBuyerKnown { renewed.buyer = dialect.buyer(claims) }
            renewed.idToken = idToken
            renewed.providerSessionID = claims.providerSessionID ?? tokens.providerSessionID
        }
        return renewed
    }

    /// An answer's tokens, as they stand in it.
    private func read(
        _ response: HTTPResponse,
        refreshing tokens: TokenSet,
        _ metadata: ProviderMetadata,
        hiding sent: RedactedValues
    ) throws -> TokenResponse {
        switch try TokenEndpointResponse(response, to: .refreshToken, hiding: sent) {
        case .failure(let failure): throw refusal(failure, metadata)
        case .success(let object):
            return try self.response(
                object,
                provedBy: try tokens.dpopKey.map { try DPoPKey($0) },
                // What a session is decides, not the configuration of today: bound tokens stay bound, others may stay what they are.
                acceptsUnboundTokens: !TokenResponse.isBound(tokens.tokenType)
            )
        }
    }

    /// Whether a token stands in a body, whatever else is wrong with it: then the old one is spent.
    private static func holdsTokens(_ body: [UInt8]) -> Bool {
        guard let object = (try? JSONValue(parsing: body))?.object else { return false }
        return ["access_token", "refresh_token"].contains { object[$0]?.string?.isEmpty == false }
    }

    /// Validates the ID token of a refresh, which has to continue the login (OpenID Connect Core section 12.2).
    private func continued(
        _ idToken: Secret,
        _ metadata: ProviderMetadata,
        _ expected: IDTokenExpectations
    ) async throws -> IDTokenClaims {
        do {
            return try await validate(idToken, metadata, expected)
        } catch {
            throw IdentityError.wrapping(error).behindTokenAnswer
        }
    }

    private static var withoutRefreshToken: IdentityError {
        IdentityError(
            .signInAgain,
            .notRefreshable,
            "There is no refresh token.",
            hint: "Let the buyer sign in again."
        )
    }
}
