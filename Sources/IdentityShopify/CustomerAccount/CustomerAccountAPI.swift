internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// Shopify's GraphQL API for what belongs to one buyer.
struct CustomerAccountAPI: Sendable {
    let address: CustomerAccountAddress
    let httpClient: ProviderHTTPClient
    let headers: [(name: String, value: String)]

    /// Who the buyer is; `Customer` has no scalar `email` or `phone`.
    static let identityDocument = """
        query CustomerIdentity {
          customer {
            id
            firstName
            lastName
            displayName
            emailAddress { emailAddress }
            phoneNumber { phoneNumber }
          }
        }
        """

    /// The buyer's customer record; nil when nothing says where the API is.
    func customer(_ accessToken: Secret) async throws -> JSONObject? {
        guard let url = try await address.url() else { return nil }
        let body: JSONObject = [
            "query": .string(Self.identityDocument), "variables": .object([:]),
            "operationName": .string("CustomerIdentity"),
        ]
        let response = try await httpClient.send(
            .post,
            url,
            headers: try ProviderHTTPClient.headers(
                // The token stands alone here: with "Bearer" before it Shopify answers 401.
                headers + [("Content-Type", "application/json"), ("Authorization", accessToken.reveal())]
            ),
            body: JSONValue.object(body).serialized,
            asking: "Shopify's Customer Account API"
        )
        do {
            return try CustomerResponse.customer(in: response)
        } catch {
            throw error.hiding(RedactedValues(secrets: [accessToken]))
        }
    }
}
