internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// Sends the authorization request to the provider directly (PAR, RFC 9126), and returns the `request_uri` for the browser.
    func pushAuthorizationRequest(
        _ query: [UInt8],
        _ metadata: ProviderMetadata,
        dpopKey: DPoPKey?
    ) async throws -> Secret {
        guard let endpoint = metadata.pushedAuthorizationRequestEndpoint else {
            throw Self.missing(.pushedAuthorization)
        }
        guard let fields = FormEncoding.decode(query) else {
            throw IdentityError(
                configuration: "A scope or an option of the login contains a NUL character.",
                hint: "Remove the NUL character from scopes, authorizationParameters or LoginOptions.",
                reference: "RFC 9126 section 2.1"
            )
        }
        let (response, redacted) = try await postAuthenticated(
            fields,
            headers: tokenRequestHeaders,
            to: endpoint,
            dpopKey: dpopKey,
            asking: "The provider's pushed authorization request endpoint"
        )
        switch try PushedAuthorizationResponse(response, hiding: redacted) {
        case .requestURI(let requestURI): return requestURI
        case .failure(let failure): throw refusal(failure, metadata, sentProof: dpopKey != nil)
        }
    }
}
