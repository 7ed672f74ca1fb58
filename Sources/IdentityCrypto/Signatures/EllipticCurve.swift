/// The NIST curves of JOSE, by their JWK names (RFC 7518 section 6.2.1.1); OpenSSL accepts these names.
package enum EllipticCurve: String, Sendable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The length of one coordinate, and of r and s in a signature, in bytes.
    package var coordinateCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// The only JOSE signature algorithm that uses the curve (RFC 7518 section 3.4).
    var algorithm: SignatureAlgorithm {
        switch self {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        }
    }
}
