internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// The assertion by which a client proves itself with its key (RFC 7523 section 3, OpenID Connect Core section 9).
///
/// The audience is one text, by default the issuer: an assertion that names an endpoint can be used at another server that claims
/// the endpoint as its own, and so can a list of audiences (draft-ietf-oauth-security-topics-update, audience injection). It has no
/// `typ`: libraries are in use that refuse every other than `JWT`, and newer rules than theirs name another.
enum ClientAssertion {
    /// How long an assertion is good: it is made for one request.
    private static let lifetime = 60

    static func claims(
        clientID: String,
        audience: String,
        in environment: IdentityEnvironment
    ) throws -> JSONObject {
        let now = Int(environment.clock.now.timeIntervalSince1970)
        return [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience),
            "jti": .string(Base64URL.encode(try environment.random.bytes(16))),
            "iat": .integer(now), "exp": .integer(now + lifetime),
        ]
    }
}
