internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// The assertion by which a client authenticates with its key (RFC 7523 section 3, OpenID Connect Core section 9).
///
/// By default the only audience is the issuer, not the token endpoint. Otherwise a malicious server could name another server's token
/// endpoint in its metadata, and use the assertion that it receives at the other server (audience injection,
/// draft-ietf-oauth-security-topics-update). The assertion has no `typ`, because some libraries refuse every value except `JWT`, and
/// newer specifications require another value.
enum ClientAssertion {
    /// How many seconds this machine's clock may run ahead of or behind the provider's.
    ///
    /// Each request has a new assertion. `iat` lies in the past, in case this machine's clock runs ahead; `exp` lies in the future, in
    /// case it runs behind. `iat` and `exp` are only 60 seconds apart, because some providers reject an assertion that is older or has
    /// a longer lifetime. Keycloak, for example, by default rejects an assertion whose `iat` is more than 60 seconds ago.
    private static let tolerance = 30

    static func claims(
        clientID: String,
        audience: String,
        in environment: IdentityEnvironment
    ) throws -> JSONObject {
        let now = Int(environment.clock.now.timeIntervalSince1970)
        return [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience),
            "jti": .string(Base64URL.encode(try environment.random.exactly(16))),
            "iat": .integer(now - tolerance), "exp": .integer(now + tolerance),
        ]
    }
}
