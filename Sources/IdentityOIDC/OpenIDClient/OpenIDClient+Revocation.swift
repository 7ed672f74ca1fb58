internal import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// How long a failed login waits for the revocation of its tokens.
    private static let revocationTimeLimit = Duration.seconds(5)

    /// Revokes the refresh token; the provider should then invalidate the access token too (RFC 7009 section 2.1).
    ///
    /// The access token is revoked if there is no refresh token, or if the provider does not revoke refresh tokens.
    ///
    /// - Returns: Whether the provider revoked the tokens. False if the provider has no revocation endpoint, or if there is only an access
    ///   token and the provider does not revoke access tokens.
    /// - Throws: `IdentityError` when a revocation failed, or when the provider does not revoke refresh tokens, even if it revoked the
    ///   access token. The function sends no token and throws when the metadata cannot be fetched, the endpoint's URL is invalid, or
    ///   the tokens have another issuer.
    public func revoke(_ tokens: TokenSet) async throws -> Bool {
        try checkIssuer(of: tokens, is: try await metadata())
        return try await revoke(refreshToken: tokens.refreshToken, accessToken: tokens.accessToken)
    }

    /// Revokes the tokens of a rejected login response if the provider can, and reports the outcome.
    ///
    /// `kept` is the buyer of the session for which a step-up login failed; nil after an ordinary login. After a step-up login, the tokens
    /// are not revoked if the unvalidated ID token names this buyer or cannot be read: many providers have one grant for a buyer and a
    /// client, so the revocation would also invalidate the session's tokens.
    func revokeTokens(of response: JSONObject, keeping kept: Buyer?) async {
        func token(_ name: String) -> Secret? {
            (response[name]?.string).flatMap { TokenResponse.isSound($0) ? Secret($0) : nil }
        }
        let (refreshToken, accessToken) = (token("refresh_token"), token("access_token"))
        guard refreshToken != nil || accessToken != nil else { return }
        let environment = httpClient.environment
        let started = environment.clock.elapsed
        let isKept = kept.map { idToken(of: response, names: $0) ?? true } ?? false
        // The task is unstructured, so that the revocation continues if the calling task is cancelled.
        let isRevoked = await Task { [self] in
            guard !isKept else { return false }
            let revoked = try? await TokenRevocation.limited(to: Self.revocationTimeLimit, on: environment.clock) {
                try await self.revoke(refreshToken: refreshToken, accessToken: accessToken)
            }
            return revoked ?? false
        }.value
        environment.report(.loginTokensDropped(isRevoked: isRevoked), provider: descriptor.name, since: started)
    }

    /// Whether the unvalidated ID token of a response names the buyer; nil if its issuer or its subject cannot be read.
    private func idToken(of response: JSONObject, names buyer: Buyer) -> Bool? {
        guard let token = response["id_token"]?.string,
            let claims = (try? JSONWebToken(parsing: Secret(token)))?.claims, let issuer = claims["iss"]?.string,
            let subject = claims["sub"]?.string ?? claims["sub"]?.number?.integer.map({ String($0) })
        else { return nil }
        return descriptor.isSamePerson(buyer, as: Buyer(issuer: issuer, subject: subject))
    }

    private func revoke(refreshToken: Secret?, accessToken: Secret?) async throws -> Bool {
        let metadata = try await metadata()
        guard let endpoint = metadata.revocationEndpoint else {
            guard !metadata.unusableEndpoints.contains("revocation_endpoint") else {
                throw Self.missing(.revocation)
            }
            return false
        }
        /// Returns false if the provider does not revoke tokens of this type.
        ///
        /// True does not prove that the provider knew the token: an unknown token gets the same response (RFC 7009 section 2.2).
        func revoke(_ token: Secret, _ type: String) async throws -> Bool {
            let (response, redacted) = try await postAuthenticated(
                [("token", token.reveal()), ("token_type_hint", type)],
                to: endpoint,
                asking: "The provider's revocation endpoint"
            )
            if response.status == 200 || response.status == 204 { return true }
            let object = (try? JSONValue(parsing: response.body))?.object
            if response.status == 400, object?["error"]?.string == "unsupported_token_type" { return false }
            let failure = TokenErrorResponse(response, object, to: .refreshToken, from: .revocation, hiding: redacted)
            throw clientRefusal(failure, metadata) ?? failure.revocationError
        }
        guard let refreshToken else {
            guard let accessToken else { return false }
            // The result false is not an error here: many providers cannot revoke access tokens, which usually expire soon.
            return try await revoke(accessToken, "access_token")
        }
        guard try await !revoke(refreshToken, "refresh_token") else { return true }
        if let accessToken { _ = try await revoke(accessToken, "access_token") }
        throw IdentityError(
            unsupported: "The provider does not revoke refresh tokens.",
            hint: "Wait until the refresh token expires, or revoke it in the provider's administration.",
            reference: "RFC 7009 section 2.2.1"
        )
    }
}

extension TokenErrorResponse {
    package var revocationError: IdentityError {
        let hint = "wait until the tokens expire, or revoke the tokens in the provider's administration."
        if isOutage {
            return make(
                .retryLater,
                .providerUnavailable,
                "The provider cannot revoke tokens at the moment (HTTP \(status)).",
                "If the app still has the tokens, try again later. Otherwise \(hint)"
            )
        }
        if error == "invalid_client" { return invalidClient }
        return make(
            .rejected,
            .unexpectedResponse,
            "The provider did not revoke a token (HTTP \(status)).",
            "Read providerResponse of this error. Check endpoints.revocation, or revocation_endpoint of the provider's metadata. If the "
                + "address is right, \(hint)"
        )
    }
}
