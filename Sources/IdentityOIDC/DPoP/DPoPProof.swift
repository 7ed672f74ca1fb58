internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

/// The proof that one request was made by the holder of a key (RFC 9449 section 4.2).
enum DPoPProof {
    /// Makes a proof.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - method: The request's method.
    ///   - url: The request's URL; query and fragment are no part of the proof.
    ///   - nonce: What the server asked to have in it.
    ///   - accessToken: The token that the request presents, nil at the authorization server.
    ///   - environment: Clock and randomness.
    static func make(
        _ key: DPoPKey,
        _ method: HTTPMethod,
        _ url: HTTPURL,
        nonce: String?,
        accessToken: Secret? = nil,
        in environment: IdentityEnvironment
    ) throws -> String {
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(try environment.random.bytes(16))), "htm": .string(method.rawValue),
            "htu": .string(url.origin + url.path), "iat": .integer(Int(environment.clock.now.timeIntervalSince1970)),
        ]
        if let accessToken {
            claims["ath"] = .string(Base64URL.encode(try Digest.sha256(accessToken.revealBytes())))
        }
        claims["nonce"] = nonce.map { .string($0) }
        return try JSONWebToken.compact(
            ["typ": .string("dpop+jwt"), "jwk": .object(key.publicHalf)],
            claims,
            key: key.key,
            algorithm: DPoPKey.algorithm
        )
    }
}
