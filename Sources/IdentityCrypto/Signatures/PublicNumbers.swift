/// The numbers of a public key as the octets that a JWK contains.
///
/// RSA and elliptic curve numbers are unsigned, most significant octet first; `x` of Ed25519 is the public key of RFC 8032.
package enum PublicNumbers: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
    case ed25519(x: [UInt8])
}
