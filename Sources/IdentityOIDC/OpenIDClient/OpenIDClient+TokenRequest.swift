internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// Sends a token request.
    ///
    /// - Parameters:
    ///   - fields: The form.
    ///   - metadata: The metadata with the token endpoint.
    ///   - dpopKey: The key to which the tokens are to be bound, as a private JWK; nil for bearer tokens.
    ///   - lock: The session's lock, for a refresh; nil for other requests.
    /// - Returns: The response, the values that no error about the response may contain, and the start of the request. A token's lifetime
    ///   counts from this start.
    /// - Throws: `IdentityError` when the request cannot be made, or there is no response.
    func send(
        _ fields: [(name: String, value: String)],
        _ metadata: ProviderMetadata,
        dpopKey: Secret?,
        under lock: HeldLock? = nil
    ) async throws -> (response: HTTPResponse, redacted: RequestSecrets, startedAt: Date) {
        guard let endpoint = metadata.tokenEndpoint else { throw Self.missing(.token) }
        let startedAt = httpClient.environment.clock.now
        let (response, redacted) = try await postAuthenticated(
            fields,
            headers: tokenRequestHeaders,
            to: endpoint,
            dpopKey: try dpopKey.map { try DPoPKey($0) },
            under: lock,
            asking: "The provider's token endpoint"
        )
        return (response, redacted, startedAt)
    }

    var tokenRequestHeaders: [(name: String, value: String)] {
        configuration.tokenRequestHeaders.map { ($0.name, $0.value.reveal()) }
    }
}
