internal import FoundationEssentials
internal import IdentityKit

extension OpenIDClient {
    /// Sends a token request.
    ///
    /// - Parameters:
    ///   - grant: The grant type.
    ///   - fields: The form.
    ///   - metadata: The metadata with the token endpoint.
    ///   - dpopKey: The key to which the tokens are to be bound.
    /// - Returns: The response, and when the request started: a token's lifetime counts from there.
    /// - Throws: `IdentityError` when there is no response.
    func send(
        _ grant: TokenGrant,
        _ fields: [(name: String, value: String)],
        _ metadata: ProviderMetadata,
        dpopKey: DPoPKey?
    ) async throws -> (response: TokenEndpointResponse, startedAt: Date) {
        guard let endpoint = metadata.tokenEndpoint else { throw Self.missing(.token) }
        let startedAt = httpClient.environment.clock.now
        let (response, redacted) = try await authenticated(
            fields,
            headers: tokenRequestHeaders,
            to: endpoint,
            dpopKey: dpopKey,
            asking: "The provider's token endpoint"
        )
        return (try TokenEndpointResponse(response, to: grant, hiding: redacted), startedAt)
    }

    var tokenRequestHeaders: [(name: String, value: String)] {
        configuration.tokenRequestHeaders.map { ($0.name, $0.value.reveal()) }
    }

    /// Reads a successful response; with a DPoP key its tokens must be bound to that key.
    func response(
        _ object: JSONObject,
        dpopKey: DPoPKey?,
        acceptsUnboundTokens: Bool? = nil
    ) throws(IdentityError) -> TokenResponse {
        var rules = TokenResponse.Rules(settings)
        rules.usesDPoP = dpopKey != nil
        rules.acceptsUnboundTokens = acceptsUnboundTokens ?? configuration.acceptsUnboundTokens
        return try TokenResponse(object, rules: rules)
    }

    /// The scopes of the refresh token, for providers that send `refresh_token_scope`; empty otherwise.
    func refreshScopes(_ response: TokenResponse) -> [String] {
        guard let list = response.object["refresh_token_scope"]?.string,
            list.utf8.count <= TokenResponse.maximumScopeBytes
        else { return [] }
        return TokenResponse.scopes(list, separators: settings.additionalScopeSeparators)
    }
}
