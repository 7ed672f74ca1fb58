internal import IdentityCrypto

extension PublicNumbers {
    /// The key that verifies what the other half signed.
    var verificationKey: VerificationKey? {
        switch self {
        case .rsa(let modulus, let exponent): try? .rsa(modulus: modulus, exponent: exponent)
        case .ellipticCurve(let curve, let x, let y): try? .ellipticCurve(curve, x: x, y: y)
        case .ed25519(let x): try? .ed25519(x)
        }
    }
}
