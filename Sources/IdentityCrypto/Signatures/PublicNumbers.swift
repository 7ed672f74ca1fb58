/// The numbers of a public key as a JWK writes them: unsigned, most significant octet first.
package enum PublicNumbers: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
    case ed25519(x: [UInt8])
}
