internal import IdentityCrypto
public import IdentityKit

/// A public key in the forms that an attacker can obtain or publish.
public struct SandboxPublicKey: Sendable {
    private let numbers: PublicNumbers

    init(_ numbers: PublicNumbers) {
        self.numbers = numbers
    }

    /// Creates the JWK (RFC 7517), without the members that are nil.
    public func jwk(keyID: String? = nil, algorithm: String? = nil, use: String? = nil) -> JSONObject {
        func number(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
        var jwk: JSONObject =
            switch numbers {
            case .rsa(let modulus, let exponent): ["kty": .string("RSA"), "n": number(modulus), "e": number(exponent)]
            case .ellipticCurve(let curve, let x, let y):
                ["kty": .string("EC"), "crv": .string(curve.rawValue), "x": number(x), "y": number(y)]
            case .ed25519(let x): ["kty": .string("OKP"), "crv": .string("Ed25519"), "x": number(x)]
            }
        jwk["use"] = use.map { .string($0) }
        jwk["alg"] = algorithm.map { .string($0) }
        jwk["kid"] = keyID.map { .string($0) }
        return jwk
    }

    /// The modulus of an RSA key, the uncompressed point of an elliptic-curve key, or the 32 bytes of an Ed25519 key.
    public var numberBytes: [UInt8] {
        switch numbers {
        case .rsa(let modulus, _): modulus
        case .ellipticCurve(_, let x, let y): [0x04] + x + y
        case .ed25519(let x): x
        }
    }

    /// The `SubjectPublicKeyInfo` (RFC 5280 section 4.1).
    public var der: [UInt8] {
        switch numbers {
        case .rsa(let modulus, let exponent):
            let key = DERWriter.sequence(DERWriter.integer(modulus), DERWriter.integer(exponent))
            let rsaEncryption = DERWriter.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])
            return DERWriter.sequence(DERWriter.sequence(rsaEncryption, DERWriter.null), DERWriter.bitString(key))
        case .ellipticCurve(let curve, _, _):
            let name: [UInt8] =
                switch curve {
                case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
                case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
                case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
                }
            let publicKey = DERWriter.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
            let algorithm = DERWriter.sequence(publicKey, DERWriter.identifier(name))
            return DERWriter.sequence(algorithm, DERWriter.bitString(numberBytes))
        case .ed25519:
            let algorithm = DERWriter.sequence(DERWriter.identifier([0x2B, 0x65, 0x70]))
            return DERWriter.sequence(algorithm, DERWriter.bitString(numberBytes))
        }
    }

    /// The `SubjectPublicKeyInfo` as PEM text, with a line break at its end.
    public var pem: String {
        let text = Array(Base64.encode(der).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
        }
        return "-----BEGIN PUBLIC KEY-----\n" + lines.joined(separator: "\n") + "\n-----END PUBLIC KEY-----\n"
    }
}
