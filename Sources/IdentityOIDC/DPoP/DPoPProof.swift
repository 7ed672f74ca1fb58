internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

/// A DPoP proof: a signed token that proves that the sender of one request has the DPoP key (RFC 9449 section 4.2).
enum DPoPProof {
    /// Creates a proof.
    ///
    /// - Parameters:
    ///   - key: The DPoP key.
    ///   - method: The request's method.
    ///   - url: The request's URL; the proof contains the URL without query and fragment.
    ///   - nonce: The server's last nonce; nil if no nonce of the server is stored.
    ///   - accessToken: The access token of the request; nil at the authorization server.
    ///   - environment: Clock and random numbers.
    /// - Returns: The value of the `DPoP` header.
    /// - Throws: `IdentityError` when the key cannot sign, or no random bytes are available.
    static func make(
        _ key: DPoPKey,
        _ method: HTTPMethod,
        _ url: HTTPURL,
        nonce: String?,
        accessToken: Secret? = nil,
        in environment: IdentityEnvironment
    ) throws(IdentityError) -> String {
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(try environment.random.exactly(16))), "htm": .string(method.rawValue),
            "htu": .string(url.origin + url.path), "iat": .integer(Int(environment.clock.now.timeIntervalSince1970)),
        ]
        if let accessToken {
            do { claims["ath"] = .string(Base64URL.encode(try Digest.sha256(accessToken.bytes))) } catch {
                throw .wrapping(error)
            }
        }
        claims["nonce"] = nonce.map { .string($0) }
        return try JSONWebToken.sign(
            ["typ": .string("dpop+jwt"), "jwk": .object(key.publicJWK)],
            claims,
            key: key.key,
            algorithm: DPoPKey.algorithm.rawValue
        )
    }
}
