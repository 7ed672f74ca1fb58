internal import IdentityCrypto
internal import IdentityKit

/// A provider's public key for signatures (RFC 7517).
struct JSONWebKey: Sendable {
    let keyID: String?
    /// The key's `alg`: the key may verify only signatures of this algorithm; nil permits every algorithm that the key supports.
    let algorithm: String?
    /// The JWK's member `issuer`: the issuer whose tokens the key may sign, or a template of issuers; nil permits every issuer.
    ///
    /// RFC 7517 does not define the member. Microsoft's key set for several tenants has the member.
    let issuer: String?
    let key: VerificationKey
    /// The values that identify the key: `kid`, `alg`, `issuer` and the key parameters (RFC 7518 section 6).
    let identity: [[UInt8]]

    /// Reads a key; nil if the key is malformed, or if the SDK does not support its type, use, algorithm or size.
    ///
    /// The result is also nil for a key that is published with its private part, because everybody can sign with it (OpenID Connect
    /// Core section 10.1).
    init?(_ value: JSONValue) {
        guard let type = value["kty"]?.string, value["d"] == nil, Self.isForSignatures(value) else { return nil }
        for name in ["kid", "alg"] { if let member = value[name], member.string == nil { return nil } }
        keyID = value["kid"]?.string
        algorithm = value["alg"]?.string
        // A value that is not a string counts as an empty text. No issuer is empty, so a client for several tenants does not use the key.
        issuer = value["issuer"].map { $0.string ?? "" }
        identity = ["kid", "alg", "issuer", "kty", "crv", "n", "e", "x", "y"].map { value[$0]?.serialized ?? [] }
        func bytes(_ name: String) -> [UInt8]? { (value[name]?.string).flatMap { Base64URL.decode($0) } }
        switch type {
        case "RSA":
            guard let modulus = bytes("n"), let exponent = bytes("e"),
                let key = try? VerificationKey.rsa(modulus: modulus, exponent: exponent)
            else { return nil }
            self.key = key
        case "EC":
            guard let curve = (value["crv"]?.string).flatMap({ EllipticCurve(rawValue: $0) }), let x = bytes("x"),
                let y = bytes("y"), let key = try? VerificationKey.ellipticCurve(curve, x: x, y: y)
            else { return nil }
            self.key = key
        case "OKP":
            guard value["crv"]?.string == "Ed25519", let x = bytes("x"), let key = try? VerificationKey.ed25519(x)
            else { return nil }
            self.key = key
        default: return nil
        }
        // An encryption key may lack `use`, but its `alg` is not a signature algorithm.
        if let algorithm, !(SignatureAlgorithm(name: algorithm).map(key.supports) ?? false) { return nil }
    }

    private static func isForSignatures(_ value: JSONValue) -> Bool {
        if let use = value["use"], use.string != "sig" { return false }
        if let operations = value["key_ops"] { return operations.strings?.contains("verify") ?? false }
        return true
    }

    func fits(_ candidate: SignatureAlgorithm) -> Bool {
        key.supports(candidate) && (algorithm.map { SignatureAlgorithm(name: $0) == candidate } ?? true)
    }
}
