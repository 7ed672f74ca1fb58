public import IdentityKit

extension OpenIDClient {
    /// Asks the UserInfo endpoint who the buyer is (OpenID Connect Core section 5.3).
    ///
    /// - Returns: The buyer, or what the login verified if the provider has no UserInfo endpoint. The response is used only if its
    ///   `sub` is the ID token's, byte for byte (section 5.3.2).
    /// - Throws: `IdentityError` with code `access_token_refused` when a newer access token may help.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        guard let endpoint = try await metadataSource.metadata().userInfoEndpoint else { return tokens.buyer }
        let response = try await get(endpoint, with: tokens, asking: "The provider's UserInfo endpoint")
        return try UserInfoResponse.buyer(
            from: response,
            for: tokens.buyer,
            hiding: RedactedValues(secrets: [tokens.accessToken])
        )
    }
}
