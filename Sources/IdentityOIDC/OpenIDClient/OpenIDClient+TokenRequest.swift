internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// Sends a token request; `dpopKey` is a private JWK, or nil for bearer tokens.
    ///
    /// A token's lifetime counts from the returned `startedAt`. No error may contain the returned `redacted` values.
    func sendTokenRequest(
        _ fields: [(name: String, value: String)],
        _ metadata: ProviderMetadata,
        dpopKey: Secret?,
        under lock: HeldLock? = nil
    ) async throws -> (response: HTTPResponse, redacted: RequestSecrets, startedAt: Date) {
        guard let endpoint = metadata.tokenEndpoint else { throw Self.missing(.token) }
        let startedAt = httpClient.environment.clock.now
        let (response, redacted) = try await postAuthenticated(
            namesClientInBody ? fields : fields.filter { $0.name != "client_id" },
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
