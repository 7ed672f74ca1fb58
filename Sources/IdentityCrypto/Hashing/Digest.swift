internal import CIdentityOpenSSL
internal import Synchronization

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
        // SHA-512, also as SHA-384, leaves hashed bytes in its context.
        let isReusable = function.count == 32
        let unused = isReusable ? contexts.withLock { $0.popLast() } : nil
        guard let context = unused ?? DigestContext(),
            context.digest(bytes, algorithm, &digest, &written), written == UInt32(function.count)
        else { throw CryptoError(.operationFailed, "OpenSSL could not compute the digest") }
        if isReusable { contexts.withLock { if $0.count < maximumContexts { $0.append(context) } } }
        return digest
    }

    /// The contexts of SHA-256 that no digest uses now; they are reused, because creating a context is slow.
    private static let contexts = Mutex<[DigestContext]>([])
    private static let maximumContexts = 16
}

/// OpenSSL's context for one digest at a time.
///
/// `@unchecked Sendable`: only one digest at a time uses a context. ``Digest`` takes a context out of its list first.
@safe
private final class DigestContext: @unchecked Sendable {
    private let pointer: OpaquePointer

    init?() {
        guard let pointer = unsafe EVP_MD_CTX_new() else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_MD_CTX_free(pointer) }

    func digest(
        _ bytes: UnsafeRawBufferPointer,
        _ algorithm: FetchedAlgorithm,
        _ digest: inout [UInt8],
        _ written: inout UInt32
    ) -> Bool {
        ErrorQueue.emptiedAfterFailure {
            unsafe EVP_DigestInit_ex2(pointer, algorithm.pointer, nil) == 1
                && EVP_DigestUpdate(pointer, bytes.baseAddress, bytes.count) == 1
                && EVP_DigestFinal_ex(pointer, &digest, &written) == 1
        }
    }
}

/// A hash function of the JOSE signature algorithms.
struct HashFunction: Sendable {
    let algorithm: LazyAlgorithm
    /// The length of the digest in bytes.
    let count: Int

    static let sha256 = HashFunction(algorithm: .digest("SHA2-256"), count: 32)
    static let sha384 = HashFunction(algorithm: .digest("SHA2-384"), count: 48)
    static let sha512 = HashFunction(algorithm: .digest("SHA2-512"), count: 64)
}
