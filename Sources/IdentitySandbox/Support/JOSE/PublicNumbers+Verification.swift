internal import IdentityCrypto

extension PublicNumbers {
    /// The verification key for these numbers.
    var verificationKey: VerificationKey? {
        switch self {
        case .rsa(let modulus, let exponent): try? .rsa(modulus: modulus, exponent: exponent)
        case .ellipticCurve(let curve, let x, let y): try? .ellipticCurve(curve, x: x, y: y)
        case .ed25519(let x): try? .ed25519(x)
        }
    }
}
