/// The asymmetric JOSE signature algorithms, by their `alg` names (RFC 7518 section 3.1, RFC 8037).
///
/// `none` and the HMAC algorithms are missing on purpose, so that no code can accept them by mistake.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// `Ed25519` (RFC 9864) and `EdDSA` are one algorithm here, because Ed25519 is the only supported curve for EdDSA.
    package init?(name: String) {
        self.init(rawValue: name == "Ed25519" ? "EdDSA" : name)
    }

    /// The JOSE names of the algorithm, the older name first.
    package var names: [String] {
        self == .edDSA ? [rawValue, "Ed25519"] : [rawValue]
    }

    enum Padding {
        case pkcs1
        case pss
    }

    /// The hash of the message; nil for EdDSA, which signs the message itself.
    var hashFunction: HashFunction? {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512: .sha512
        case .edDSA: nil
        }
    }

    /// The RSA padding; nil if the algorithm does not use RSA.
    var padding: Padding? {
        switch self {
        case .rs256, .rs384, .rs512: .pkcs1
        case .ps256, .ps384, .ps512: .pss
        case .es256, .es384, .es512, .edDSA: nil
        }
    }
}
