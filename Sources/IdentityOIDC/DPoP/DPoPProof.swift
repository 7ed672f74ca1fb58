internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

/// A DPoP proof: a signed token that proves that the sender of one request has the DPoP key (RFC 9449 section 4.2).
enum DPoPProof {
    /// The `DPoP` header's value; `nonce` is the server's last nonce, and `accessToken` is nil for a request to the authorization server.
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
