internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// Signs the ID tokens of all simulated providers; the SDK validates them like those of real providers.
final class TokenMint: @unchecked Sendable {
    /// The lifetime of an ID token in seconds; many responses wait longer than this in the store.
    static let lifetime = 300

    private let key: SigningKey
    /// The key that is used for signing before it is published.
    private let lateKey: SigningKey

    init() throws {
        key = try .generateRSA()
        lateKey = try .generateRSA()
    }

    /// The published keys.
    func keySet(withLateKeys isPublished: Bool) -> JSONValue {
        .array([Self.jwk("1", key)] + (isPublished ? [Self.jwk("2", lateKey)] : []))
    }

    private static func jwk(_ id: String, _ key: SigningKey) -> JSONValue {
        guard case .rsa(let modulus, let exponent) = key.publicNumbers else { return .null }
        return .object([
            "kty": .string("RSA"), "kid": .string(id), "use": .string("sig"), "alg": .string("RS256"),
            "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
        ])
    }

    /// Signs an ID token of a family for an access token.
    func idToken(of family: Family, for accessToken: String, at now: Date, withLateKey isLate: Bool) throws -> String {
        let issuedAt = Int(now.timeIntervalSince1970)
        let hash = try Digest.sha256(Array(accessToken.utf8)).prefix(16)
        let header: JSONObject = ["alg": .string("RS256"), "kid": .string(isLate ? "2" : "1")]
        let claims: JSONObject = [
            "iss": .string(family.provider.issuer), "sub": .string(family.subject),
            "aud": .string(family.provider.clientID), "iat": .integer(issuedAt),
            "exp": .integer(issuedAt + Self.lifetime), "at_hash": .string(Base64URL.encode(Array(hash))),
        ]
        let input = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized) }.joined(separator: ".")
        return input + "." + Base64URL.encode(try (isLate ? lateKey : key).sign(Array(input.utf8), algorithm: .rs256))
    }
}
