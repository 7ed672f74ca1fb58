internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// Reads the buyer's account with Bolt's account API.
struct BoltAccountClient: Sendable {
    let url: HTTPURL
    let keys: [(name: String, value: Secret)]
    let httpClient: ProviderHTTPClient

    func buyer(for tokens: TokenSet) async throws -> Buyer {
        let bearer = [(name: "Authorization", value: "Bearer \(tokens.accessToken.reveal())")]
        let response = try await httpClient.send(
            .get,
            url,
            headers: try ProviderHTTPClient.headers(bearer + keys.map { ($0.name, $0.value.reveal()) }),
            asking: "Bolt's account API"
        )
        let object = (try? JSONValue(parsing: response.body))?.object
        let refusal = object.flatMap { BoltErrorResponse($0) }
        guard response.status == 200, let object, refusal == nil else {
            throw BoltErrorResponse.error(refusal, response, isJSON: object != nil)
                .hiding(RequestSecrets(secrets: [tokens.accessToken] + keys.map(\.value)))
        }
        return BoltAccountResponse.buyer(object, knownAs: tokens.buyer)
    }
}
