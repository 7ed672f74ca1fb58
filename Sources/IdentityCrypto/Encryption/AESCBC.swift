internal import CIdentityOpenSSL

/// AES-128 in cipher block chaining mode with PKCS #7 padding (NIST SP 800-38A, RFC 5652 section 6.3).
///
/// AES-CBC does not detect a changed ciphertext: verify an HMAC of the ciphertext before you decrypt. Use it only for third-party formats,
/// and `AESGCM` for this SDK's own formats.
package enum AESCBC {
    package static let keyCount = 16
    package static let blockCount = 16

    /// Encrypts; returns the ciphertext, which is 1 to 16 bytes longer than the plaintext.
    ///
    /// - Throws: `invalidKey` if the key does not have 16 bytes; `invalidLength` if the initialization vector does not have 16 bytes, or
    ///   the plaintext has about 2 GiB or more; `operationFailed` if OpenSSL fails.
    package static func encrypt(
        _ plaintext: [UInt8],
        key: SecretBytes,
        initializationVector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let run = unsafe (EVP_EncryptInit_ex2, EVP_EncryptUpdate, EVP_EncryptFinal_ex)
        guard case .completed(let output) = unsafe try transform(plaintext, run, key, initializationVector) else {
            throw CryptoError(.operationFailed, "OpenSSL could not encrypt the data")
        }
        return output
    }

    /// Decrypts what `encrypt` returned.
    ///
    /// - Throws: `authenticationFailed` if the length or the padding is wrong; `operationFailed` if OpenSSL fails before it checks them,
    ///   for example without memory; `invalidKey` or `invalidLength` in the same cases as `encrypt`.
    package static func decrypt(
        _ ciphertext: [UInt8],
        key: SecretBytes,
        initializationVector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let run = unsafe (EVP_DecryptInit_ex2, EVP_DecryptUpdate, EVP_DecryptFinal_ex)
        switch unsafe try transform(ciphertext, run, key, initializationVector) {
        case .completed(let output): return output
        case .refused:
            throw CryptoError(.authenticationFailed, "the length or the padding of the ciphertext is wrong")
        case .failed: throw CryptoError(.operationFailed, "OpenSSL failed before it could check the padding")
        }
    }

    private enum Outcome {
        case completed([UInt8])
        /// OpenSSL's last call failed: the length or the padding of the ciphertext is wrong.
        case refused
        /// OpenSSL failed before its last call, so a ciphertext may be intact.
        case failed
    }

    private typealias Update = (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?, UnsafePointer<UInt8>?, Int32
    ) -> Int32
    private typealias Finish = (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?) -> Int32

    private static func transform(
        _ input: [UInt8],
        _ run: (initialize: FetchedAlgorithm.CipherInitializer, update: Update, finish: Finish),
        _ key: SecretBytes,
        _ vector: [UInt8]
    ) throws(CryptoError) -> Outcome {
        guard key.count == keyCount else {
            throw CryptoError(.invalidKey, "an AES-128 key must have \(keyCount) bytes")
        }
        guard vector.count == blockCount else {
            throw CryptoError(.invalidLength, "the initialization vector must have \(blockCount) bytes")
        }
        guard let length = Int32(exactly: input.count), length < Int32.max - Int32(blockCount) else {
            throw CryptoError(.invalidLength, "the input is longer than OpenSSL can process at once")
        }
        let algorithm = try LazyAlgorithm.aes128CBC.available()
        var output = [UInt8](repeating: 0, count: input.count + blockCount)
        var count = 0
        var isRefused = false
        let isCompleted = ErrorQueue.preserved { () -> Bool in
            guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
            defer { unsafe EVP_CIPHER_CTX_free(context) }
            guard unsafe algorithm.start(run.initialize, context, key, vector) else { return false }
            return unsafe output.withUnsafeMutableBufferPointer { output in
                guard let start = output.baseAddress else { return false }
                var written: Int32 = 0
                var last: Int32 = 0
                guard unsafe run.update(context, start, &written, input, length) == 1 else { return false }
                // The last call allocates no memory. So when it decrypts, it fails only because of the length or the padding.
                isRefused = unsafe run.finish(context, start + Int(written), &last) != 1
                count = Int(written + last)
                return !isRefused
            }
        }
        if isRefused { return .refused }
        return isCompleted ? .completed(Array(output.prefix(count))) : .failed
    }
}
