internal import CIdentityOpenSSL

/// AES-128 in cipher block chaining mode with PKCS #7 padding (NIST SP 800-38A, RFC 5652 section 6.3).
///
/// It does not authenticate: check an authentication code over the ciphertext before you decrypt. Only third-party formats need it; use
/// `AESGCM` for this SDK's own formats.
package enum AESCBC {
    package static let keyCount = 16
    package static let blockCount = 16

    /// Encrypts; returns the ciphertext, which is 1 to 16 bytes longer than the plaintext.
    ///
    /// - Throws: `invalidKey` unless the key has 16 bytes; `invalidLength` unless the initialization vector has 16 bytes, and for
    ///   a plaintext of about 2 GiB or more; `operationFailed` if OpenSSL fails.
    package static func encrypt(
        _ plaintext: [UInt8],
        key: SecretBytes,
        initializationVector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let run = unsafe (EVP_EncryptInit_ex2, EVP_EncryptUpdate, EVP_EncryptFinal_ex)
        let output = unsafe try transform(plaintext, run, key, initializationVector)
        guard let output else { throw CryptoError(.operationFailed, "OpenSSL could not encrypt the data") }
        return output
    }

    /// Decrypts what `encrypt` returned.
    ///
    /// - Throws: `authenticationFailed` if the length or the padding is wrong, or OpenSSL fails to decrypt; `operationFailed` if
    ///   OpenSSL does not provide the cipher; `invalidKey` or `invalidLength` in the same cases as `encrypt`.
    package static func decrypt(
        _ ciphertext: [UInt8],
        key: SecretBytes,
        initializationVector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let run = unsafe (EVP_DecryptInit_ex2, EVP_DecryptUpdate, EVP_DecryptFinal_ex)
        let output = unsafe try transform(ciphertext, run, key, initializationVector)
        guard let output else {
            throw CryptoError(
                .authenticationFailed,
                "the length or the padding of the ciphertext is wrong, or OpenSSL failed"
            )
        }
        return output
    }

    private typealias Update = (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?, UnsafePointer<UInt8>?, Int32
    ) -> Int32
    private typealias Finish = (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?) -> Int32

    /// Runs the cipher over all bytes; nil if OpenSSL refuses them or fails.
    private static func transform(
        _ input: [UInt8],
        _ run: (initialize: FetchedAlgorithm.CipherInitializer, update: Update, finish: Finish),
        _ key: SecretBytes,
        _ vector: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
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
        let count = ErrorQueue.preserved { () -> Int? in
            guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
            defer { unsafe EVP_CIPHER_CTX_free(context) }
            guard unsafe algorithm.start(run.initialize, context, key, vector) else { return nil }
            return unsafe output.withUnsafeMutableBufferPointer { output in
                guard let start = output.baseAddress else { return nil }
                var written: Int32 = 0
                var last: Int32 = 0
                guard unsafe run.update(context, start, &written, input, length) == 1,
                    unsafe run.finish(context, start + Int(written), &last) == 1
                else { return nil }
                return Int(written + last)
            }
        }
        return count.map { Array(output.prefix($0)) }
    }
}
