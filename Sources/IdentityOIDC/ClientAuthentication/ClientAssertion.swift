internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// The assertion by which a client authenticates with its key (RFC 7523 section 3, OpenID Connect Core section 9).
///
/// By default its audience (`aud`) is the issuer. If it were the token endpoint, a malicious provider could name another provider's token
/// endpoint in its metadata, receive an assertion for that endpoint, and use the assertion at the other provider (audience injection,
/// draft-ietf-oauth-security-topics-update). The assertion has no `typ`: some libraries refuse every value except `JWT`, and newer
/// specifications require another value.
enum ClientAssertion {
    /// By how many seconds this machine's clock may differ from the provider's: `iat` lies this far in the past, and `exp` in the future.
    ///
    /// The resulting lifetime is 60 seconds. Some providers reject an assertion with a longer lifetime or an older `iat`. Keycloak, for
    /// example, by default rejects an assertion whose `iat` is more than 60 seconds ago.
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
