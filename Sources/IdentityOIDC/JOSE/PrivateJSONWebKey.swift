internal import IdentityCrypto
internal import IdentityKit

/// A private signing key in JWK form (RFC 7517, RFC 7518 section 6, RFC 8037).
struct PrivateJSONWebKey {
    let key: SigningKey
    let keyID: String?
    let algorithm: String?

    init(parsing bytes: [UInt8]) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: bytes), value.object != nil else {
            throw Self.malformed("is not a valid JSON object, or has a duplicate member")
        }
        for name in ["kid", "alg"] where value[name] != nil && value[name]?.string == nil {
            throw Self.malformed("has a member \(name) that is not a string")
        }
        let operations = value["key_ops"]
        guard value["use"] == nil || value["use"]?.string == "sig",
            operations == nil || operations?.strings?.contains("sign") == true
        else { throw Self.malformed("is not a signing key (use or key_ops)") }
        do {
            key = try Self.key(value)
        } catch {
            throw ClientKey.invalid("The client key cannot be used: \(error.message).")
        }
        keyID = value["kid"]?.string
        algorithm = value["alg"]?.string
    }

    private static func malformed(_ problem: String) -> IdentityError {
        ClientKey.invalid("The client key \(problem).", reference: "RFC 7517 section 4")
    }

    private static func key(_ value: JSONValue) throws(CryptoError) -> SigningKey {
        func number(_ name: String) throws(CryptoError) -> [UInt8] {
            guard let number = (value[name]?.string).flatMap({ Base64URL.decode($0) }) else {
                throw CryptoError(.invalidKey, "the member \(name) of the JWK is missing or is not canonical base64url")
            }
            return number
        }
        switch (value["kty"]?.string, value["crv"]?.string) {
        case ("RSA", nil) where value["oth"] == nil:
            return try .rsa(
                modulus: number("n"),
                exponent: number("e"),
                privateExponent: number("d"),
                primes: (number("p"), number("q")),
                exponents: (number("dp"), number("dq")),
                coefficient: number("qi")
            )
        case ("EC", let name?):
            guard let curve = EllipticCurve(rawValue: name) else { break }
            return try .ellipticCurve(curve, x: number("x"), y: number("y"), privateNumber: number("d"))
        case ("OKP", "Ed25519"):
            return try .ed25519(x: number("x"), privateNumber: number("d"))
        default: break
        }
        throw CryptoError(
            .invalidKey,
            "the type of the key is not supported; use P-256, P-384, P-521, Ed25519, or RSA with two primes"
        )
    }
}
