/// The kind of a key; it determines the key's algorithms and the length of its signatures.
enum KeyKind: Sendable, Equatable {
    case rsa(signatureCount: Int)
    case ellipticCurve(EllipticCurve)
    case ed25519

    func supports(_ algorithm: SignatureAlgorithm) -> Bool {
        switch self {
        case .rsa: algorithm.padding != nil
        case .ellipticCurve(let curve): algorithm == curve.algorithm
        case .ed25519: algorithm == .edDSA
        }
    }

    /// The length of every JOSE signature by a key of this kind, in bytes.
    var signatureCount: Int {
        switch self {
        case .rsa(let count): count
        case .ellipticCurve(let curve): 2 * curve.coordinateCount
        case .ed25519: 64
        }
    }
}
