internal import IdentityCrypto
internal import IdentityKit

/// A public key of a provider that can verify signatures, made once and used for every token (RFC 7517).
struct JSONWebKey: Sendable {
    let keyID: String?
    /// The one algorithm it is meant for, where its `alg` says so.
    let algorithm: String?
    let key: VerificationKey
    /// All that makes it this key: name, purpose and numbers.
    let identity: [[UInt8]]

    /// Reads a key; nil for one of a kind, use or size that this client does not know: such a key spoils nothing.
    ///
    /// A key published with its private part is passed over too: what everybody can sign with proves nothing (OpenID Connect
    /// Core section 10.1).
    init?(_ value: JSONValue) {
        guard let type = value["kty"]?.string, value["d"] == nil, Self.isForSignatures(value) else { return nil }
        for name in ["kid", "alg"] { if let member = value[name], member.string == nil { return nil } }
        keyID = value["kid"]?.string
        algorithm = value["alg"]?.string
        identity = ["kid", "alg", "kty", "crv", "n", "e", "x", "y"].map { value[$0]?.serialized ?? [] }
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
    }

    private static func isForSignatures(_ value: JSONValue) -> Bool {
        if let use = value["use"], use.string != "sig" { return false }
        if let operations = value["key_ops"] { return operations.strings?.contains("verify") ?? false }
        return true
    }

    /// Whether the key may verify a signature of this algorithm.
    func fits(_ candidate: SignatureAlgorithm) -> Bool {
        key.supports(candidate) && (algorithm.map { $0.isIdentical(to: candidate.rawValue) } ?? true)
    }
}
