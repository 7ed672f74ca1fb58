package import IdentityKit

extension OpenIDClient {
    /// How long a login that failed waits until its tokens are revoked.
    private static let dropLimit = Duration.seconds(5)

    /// Revokes the refresh token, with which the provider ought to invalidate the access token too (RFC 7009 section 2.1); the
    /// access token where there is none, or where the provider does not revoke refresh tokens.
    ///
    /// - Returns: Whether the provider has an endpoint for it.
    /// - Throws: `IdentityError` when a token that was to be revoked may still be good.
    package func revoke(_ tokens: TokenSet) async throws -> Bool {
        try await revoke(refreshToken: tokens.refreshToken, accessToken: tokens.accessToken)
    }

    /// Has the tokens of a refused answer revoked, as far as the provider can, and tells what became of them.
    ///
    /// Nothing of the answer was checked, so each token is taken as it stands. A caller who is cancelled does not stop it.
    func dropTokens(of answer: JSONObject) async {
        func token(_ name: String) -> Secret? {
            (answer[name]?.string).flatMap { TokenResponse.isSound($0) ? Secret($0) : nil }
        }
        let (refreshToken, accessToken) = (token("refresh_token"), token("access_token"))
        guard refreshToken != nil || accessToken != nil else { return }
        let environment = httpClient.environment
        let started = environment.clock.elapsed
        // Unstructured: cancellation reaches all other tasks.
        let isRevoked = await Task { [self] in
            let revoked = try? await TokenRevocation.limited(to: Self.dropLimit, on: environment.clock) {
                try await revoke(refreshToken: refreshToken, accessToken: accessToken)
            }
            return revoked ?? false
        }.value
        environment.report(.loginTokensDropped(isRevoked: isRevoked), provider: descriptor.name, since: started)
    }

    private func revoke(refreshToken: Secret?, accessToken: Secret?) async throws -> Bool {
        let metadata = try await metadataSource.metadata()
        guard let endpoint = metadata.revocationEndpoint else {
            guard !metadata.unusableEndpoints.contains("revocation_endpoint") else {
                throw Self.missing(.revocation)
            }
            return false
        }
        func revoke(_ token: Secret, _ kind: String) async throws -> RevocationResponse {
            let answer = try await authenticated(
                [("token", token.reveal()), ("token_type_hint", kind)],
                to: endpoint,
                asking: "The provider's revocation endpoint"
            )
            return try RevocationResponse(answer.response, hiding: answer.sent) { clientRefusal($0, metadata) }
        }
        guard let refreshToken else {
            guard let accessToken else { return false }
            // Access tokens that nobody can take back are common; they live for minutes.
            if case .unsupportedType = try await revoke(accessToken, "access_token") { return false }
            return true
        }
        guard case .unsupportedType = try await revoke(refreshToken, "refresh_token") else { return true }
        if let accessToken { _ = try await revoke(accessToken, "access_token") }
        throw IdentityError(
            .rejected,
            .unsupportedByProvider,
            "The provider does not revoke refresh tokens.",
            hint:
                "No session here has the refresh token any more. It stays valid at the provider until it expires there.",
            reference: "RFC 7009 section 2.2.1"
        )
    }
}
