/// The hash functions that the JOSE algorithms name.
enum HashFunction: Sendable {
    case sha256
    case sha384
    case sha512

    var fetched: FetchedAlgorithm? {
        switch self {
        case .sha256: FetchedAlgorithm.sha256
        case .sha384: FetchedAlgorithm.sha384
        case .sha512: FetchedAlgorithm.sha512
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
