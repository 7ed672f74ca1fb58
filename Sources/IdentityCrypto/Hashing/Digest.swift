internal import CIdentityOpenSSL

/// The SHA-2 digests (FIPS 180-4).
package enum Digest {
    package static func sha256(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try digest(bytes, .sha256)
    }

    package static func sha256(utf8 text: String) throws(CryptoError) -> [UInt8] {
        try unsafe text.utf8.span.withUnsafeBytes { (bytes) throws(CryptoError) in try unsafe digest(bytes, .sha256) }
    }

    package static func sha256(_ secret: SecretBytes) throws(CryptoError) -> [UInt8] {
        try unsafe secret.withUnsafeBytes { (bytes) throws(CryptoError) in try unsafe digest(bytes, .sha256) }
    }

    package static func sha384(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try digest(bytes, .sha384)
    }

    package static func sha512(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try digest(bytes, .sha512)
    }

    static func digest(_ bytes: [UInt8], _ function: HashFunction) throws(CryptoError) -> [UInt8] {
        try unsafe bytes.span.withUnsafeBytes { (bytes) throws(CryptoError) in try unsafe digest(bytes, function) }
    }

    private static func digest(
        _ bytes: UnsafeRawBufferPointer,
        _ function: HashFunction
    ) throws(CryptoError) -> [UInt8] {
        let algorithm = try function.algorithm.available()
        var digest = [UInt8].zeros(function.count)
        var written: UInt32 = 0
        let succeeded = ErrorQueue.emptiedAfterFailure {
            unsafe EVP_Digest(bytes.baseAddress, bytes.count, &digest, &written, algorithm.pointer, nil) == 1
        }
        guard succeeded, written == UInt32(function.count) else {
            throw CryptoError(.operationFailed, "OpenSSL could not compute the digest")
        }
        return digest
    }
}

struct HashFunction: Sendable {
    let algorithm: LazyAlgorithm
    /// The length of the digest in bytes.
    let count: Int

    static let sha256 = HashFunction(algorithm: .digest("SHA2-256"), count: 32)
    static let sha384 = HashFunction(algorithm: .digest("SHA2-384"), count: 48)
    static let sha512 = HashFunction(algorithm: .digest("SHA2-512"), count: 64)
}
