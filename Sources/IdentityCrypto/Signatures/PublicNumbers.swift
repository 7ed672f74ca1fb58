/// The numbers of a public key, as the octets that a JWK contains.
///
/// RSA and elliptic curve numbers are unsigned, most significant octet first. `x` of Ed25519 is the public key of RFC 8032.
package enum PublicNumbers: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
    case ed25519(x: [UInt8])

    func supports(_ algorithm: SignatureAlgorithm) -> Bool {
        switch self {
        case .rsa: algorithm.padding != nil
        case .ellipticCurve(let curve, _, _): algorithm == curve.algorithm
        case .ed25519: algorithm == .edDSA
        }
    }

    /// The length of every JOSE signature by the key, in bytes; an RSA modulus must begin with a nonzero octet.
    var signatureCount: Int {
        switch self {
        case .rsa(let modulus, _): modulus.count
        case .ellipticCurve(let curve, _, _): 2 * curve.coordinateCount
        case .ed25519: 64
        }
    }
}
