internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import TestDoubles

/// Signs the ID tokens of all simulated providers; the SDK validates them like those of real providers.
final class TokenMint: Sendable {
    /// The lifetime of an ID token in seconds; many responses wait longer than this in the store.
    static let lifetime = 300

    private let signer: TokenSigner
    /// Signs with a key before the key is published.
    private let lateSigner: TokenSigner

    init() throws {
        signer = try TokenSigner(keyID: "1")
        lateSigner = try TokenSigner(keyID: "2")
    }

    func keySet(withLateKeys isPublished: Bool) -> JSONValue {
        .array(
            (isPublished ? [signer, lateSigner] : [signer]).map { signer in
                var key = signer.jwkMembers
                key["use"] = .string("sig")
                key["alg"] = .string("RS256")
                return .object(key)
            }
        )
    }

    /// Signs an ID token of a family for an access token.
    func idToken(of family: Family, for accessToken: String, at now: Date, withLateKey isLate: Bool) throws -> String {
        let issuedAt = Int(now.timeIntervalSince1970)
        let hash = try Digest.sha256(Array(accessToken.utf8)).prefix(16)
        let claims: JSONObject = [
            "iss": .string(family.provider.issuer), "sub": .string(family.subject),
            "aud": .string(family.provider.clientID), "iat": .integer(issuedAt),
            "exp": .integer(issuedAt + Self.lifetime), "at_hash": .string(Base64URL.encode(Array(hash))),
        ]
        return try (isLate ? lateSigner : signer).token(claims).reveal()
    }
}
