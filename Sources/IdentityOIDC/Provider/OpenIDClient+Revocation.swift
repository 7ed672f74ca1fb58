package import IdentityKit

extension OpenIDClient {
    /// Revokes the refresh token, with which the provider ought to invalidate the access token too (RFC 7009 section 2.1); the
    /// access token where there is none, or where the provider does not revoke refresh tokens.
    ///
    /// - Throws: `IdentityError` when a token that was to be revoked may still be good.
    package func revoke(_ tokens: TokenSet) async throws {
        let metadata = try await metadataSource.metadata()
        guard let endpoint = metadata.revocationEndpoint else {
            guard !metadata.unusableEndpoints.contains("revocation_endpoint") else {
                throw Self.missing("usable revocation endpoint")
            }
            return
        }
        func revoke(_ token: Secret, _ kind: String) async throws -> RevocationAnswer {
            let answer = try await authenticated(
                [("token", token.reveal()), ("token_type_hint", kind)],
                to: endpoint,
                asking: "The provider's revocation endpoint"
            )
            return try RevocationAnswer(answer.response, hiding: answer.sent) { clientRefusal($0, metadata) }
        }
        guard let refreshToken = tokens.refreshToken else {
            // Access tokens that nobody can take back are common; they live for minutes.
            _ = try await revoke(tokens.accessToken, "access_token")
            return
        }
        guard case .unsupportedType = try await revoke(refreshToken, "refresh_token") else { return }
        _ = try await revoke(tokens.accessToken, "access_token")
        throw IdentityError(
            .rejected,
            .unsupportedByProvider,
            "The provider does not revoke refresh tokens.",
            hint: "The session has ended here. The refresh token lives on at the provider until its own end.",
            reference: "RFC 7009 section 2.2.1"
        )
    }
}
