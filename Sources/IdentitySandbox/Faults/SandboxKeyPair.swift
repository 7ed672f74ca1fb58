internal import IdentityCrypto
public import IdentityKit

/// A key pair of a test, for example to sign in place of the provider or to add to the provider's key set.
public struct SandboxKeyPair: Sendable {
    /// The kind of the key.
    public enum Kind: Sendable, Hashable {
        /// RSA with this key size: a multiple of 8 bits between 1024 and 8192.
        case rsa(bits: Int)
        /// The NIST curves of JOSE.
        case p256, p384, p521
        /// Ed25519.
        case ed25519
    }

    private let key: SigningKey
    /// The JOSE algorithm with which the key pair signs.
    public let algorithm: String

    /// Creates a key pair, or returns the key pair that this process created earlier for this kind and name.
    ///
    /// - Parameters:
    ///   - kind: The kind of the key; by default RSA with 2048 bits.
    ///   - name: The name under which the key pair is cached, because the creation of an RSA key takes time.
    /// - Throws: An error if the size is out of range or the system cannot create a key.
    public init(_ kind: Kind = .rsa(bits: 2048), name: String = "attacker") throws {
        let make: () throws -> SigningKey
        (algorithm, make) =
            switch kind {
            case .rsa(let bits): ("RS256", { try SigningKey.generateRSA(bits: bits) })
            case .p256: ("ES256", { try SigningKey.generateEllipticCurve(.p256) })
            case .p384: ("ES384", { try SigningKey.generateEllipticCurve(.p384) })
            case .p521: ("ES512", { try SigningKey.generateEllipticCurve(.p521) })
            case .ed25519: ("EdDSA", { try SigningKey.generateEd25519() })
            }
        key = try SigningKeyPool.key(named: "pair/\(kind)/\(name)", making: make)
    }

    /// The public key.
    public var publicKey: SandboxPublicKey { SandboxPublicKey(key.publicNumbers) }

    /// A self-signed certificate (RFC 5280) for `x5c` and `x5u`; nil if the key is not RSA or the system cannot sign.
    public var certificate: [UInt8]? {
        guard case .rsa = key.publicNumbers else { return nil }
        let name = DERWriter.sequence(
            DERWriter.set(
                DERWriter.sequence(DERWriter.identifier([0x55, 0x04, 0x03]), DERWriter.text("attacker"))
            )
        )
        let signedWith = DERWriter.sequence(
            DERWriter.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B]),
            DERWriter.null
        )
        let validity = DERWriter.sequence(DERWriter.utcTime("200101000000Z"), DERWriter.utcTime("491231235959Z"))
        let body = DERWriter.sequence(DERWriter.integer([1]), signedWith, name, validity, name, publicKey.der)
        guard let signature = try? key.sign(body, algorithm: .rs256) else { return nil }
        return DERWriter.sequence(body, signedWith, DERWriter.bitString(signature))
    }

    /// Creates a JWT and signs it with this key.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - header: The members of the JWT's header. If `alg` is missing, ``algorithm`` is added.
    /// - Returns: The JWT.
    public func token(_ claims: JSONObject, header: JSONObject = [:]) -> String {
        var all = header
        all["alg"] = all["alg"] ?? .string(algorithm)
        return signed(all, JSONValue.object(claims).serialized)
    }

    func signed(_ header: JSONObject, _ payload: [UInt8]) -> String {
        let input = Base64URL.encode(JSONValue.object(header).serialized) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(sign(Array(input.utf8)))
    }

    /// Signs a message with ``algorithm``; returns no bytes if the system cannot sign.
    func sign(_ message: [UInt8]) -> [UInt8] {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm) else { return [] }
        return (try? key.sign(message, algorithm: algorithm)) ?? []
    }
}
