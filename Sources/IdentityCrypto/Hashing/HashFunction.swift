/// A hash function of the JOSE signature algorithms.
struct HashFunction: Sendable {
    let algorithm: LazyAlgorithm
    /// The length of its digest in bytes.
    let count: Int

    static let sha256 = HashFunction(algorithm: .digest("SHA2-256"), count: 32)
    static let sha384 = HashFunction(algorithm: .digest("SHA2-384"), count: 48)
    static let sha512 = HashFunction(algorithm: .digest("SHA2-512"), count: 64)
}
