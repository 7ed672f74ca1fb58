internal import IdentityCrypto
internal import IdentityKit

/// A client's public key, read from a JWK (RFC 7517) that must not contain private members.
struct ClientKey: Sendable {
    let verification: VerificationKey
    /// The JWK thumbprint (RFC 7638) with SHA-256.
    let thumbprint: String
    let keyID: String?
    /// The only algorithm that the key may be used with; nil if the JWK has no `alg`.
    let algorithm: String?

    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    init(jwk: JSONObject) throws(TokenFlaw) {
        if let member = Self.privateMembers.first(where: { jwk[$0] != nil }) {
            throw TokenFlaw("the JWK contains the private member \(member)")
        }
        if let use = jwk["use"], use.string != "sig" { throw TokenFlaw("the JWK is not for signatures") }
        if let operations = jwk["key_ops"], operations.array?.contains(.string("verify")) != true {
            throw TokenFlaw("the key_ops of the JWK do not contain verify")
        }
        // The members that the JWK thumbprint covers, in the order of RFC 7638 section 3.
        let members: [String]
        (verification, members) = try Self.key(jwk)
        let canonical = members.map { "\"\($0)\":\"\(jwk[$0]?.string ?? "")\"" }.joined(separator: ",")
        guard let digest = try? Digest.sha256(Array("{\(canonical)}".utf8)) else {
            throw TokenFlaw("the thumbprint of the JWK cannot be computed")
        }
        thumbprint = Base64URL.encode(digest)
        keyID = jwk["kid"]?.string
        algorithm = jwk["alg"]?.string
    }

    private static func key(_ jwk: JSONObject) throws(TokenFlaw) -> (VerificationKey, members: [String]) {
        do {
            switch jwk["kty"]?.string {
            case "RSA":
                let key = try VerificationKey.rsa(modulus: number("n", jwk), exponent: number("e", jwk))
                return (key, ["e", "kty", "n"])
            case "EC":
                guard let curve = EllipticCurve(rawValue: jwk["crv"]?.string ?? "") else { break }
                let key = try VerificationKey.ellipticCurve(curve, x: number("x", jwk), y: number("y", jwk))
                return (key, ["crv", "kty", "x", "y"])
            case "OKP" where jwk["crv"]?.string == "Ed25519":
                return (try VerificationKey.ed25519(number("x", jwk)), ["crv", "kty", "x"])
            default: break
            }
        } catch {
            throw TokenFlaw("the JWK is not a valid public key")
        }
        throw TokenFlaw("the JWK has an unknown type")
    }

    private static func number(_ name: String, _ jwk: JSONObject) throws(TokenFlaw) -> [UInt8] {
        guard let text = jwk[name]?.string, let bytes = Base64URL.decode(text) else {
            throw TokenFlaw("\(name) of the JWK is not base64url")
        }
        return bytes
    }
}
