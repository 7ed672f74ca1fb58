internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// Asks Bolt's account API who the buyer is.
struct BoltAccountClient: Sendable {
    let url: HTTPURL
    let keys: [(name: String, value: Secret)]
    let channel: ProviderChannel

    func buyer(for tokens: TokenSet) async throws -> Buyer {
        let bearer = [(name: "Authorization", value: "Bearer \(tokens.accessToken.reveal())")]
        let response = try await channel.send(
            .get,
            url,
            headers: try ProviderChannel.headers(bearer + keys.map { ($0.name, $0.value.reveal()) }),
            asking: "Bolt's account API"
        )
        let object = (try? JSONValue(parsing: response.body))?.object
        let refusal = object.flatMap { BoltRefusal($0) }
        guard response.status == 200, let object, refusal == nil else {
            throw BoltRefusal.error(refusal, response, isJSON: object != nil)
                .hiding(SentValues(secrets: [tokens.accessToken] + keys.map(\.value)))
        }
        return BoltAccount.buyer(object, knownAs: tokens.buyer)
    }
}
