internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// The tolerated clock difference in seconds: an assertion's `iat` is this much before now, and its `exp` this much after now.
    ///
    /// The lifetime is thus 60 seconds. Some providers reject a longer lifetime or an older `iat` (Keycloak by default an `iat` more than
    /// 60 seconds ago).
    private static let assertionTolerance = 30

    /// The fields of a new assertion (RFC 7523 sections 2.2 and 3, OpenID Connect Core section 9).
    ///
    /// The assertion has no `typ`: some libraries refuse every value except `JWT`, and newer specifications require another value.
    func assertion(
        _ key: ClientKey,
        for audience: ClientAuthentication.AssertionAudience
    ) async throws -> [(name: String, value: String)] {
        let metadata = try await metadata()
        guard let audience = audience == .issuer ? metadata.issuer : metadata.tokenEndpoint?.text else {
            throw Self.missing(.token)
        }
        let environment = httpClient.environment
        let now = Int(environment.clock.now.timeIntervalSince1970)
        let clientID = descriptor.clientID
        let claims: JSONObject = [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience),
            "jti": .string(Base64URL.encode(try environment.random.exactly(16))),
            "iat": .integer(now - Self.assertionTolerance), "exp": .integer(now + Self.assertionTolerance),
        ]
        return [
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", try key.sign(claims, offered: metadata.authenticationAlgorithms)),
        ]
    }
}
