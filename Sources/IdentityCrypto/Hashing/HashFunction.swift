/// The hash functions that the JOSE algorithms name.
enum HashFunction: Sendable {
    case sha256
    case sha384
    case sha512

    var algorithm: LazyAlgorithm {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }

    /// The length of its digest in bytes.
    var count: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
