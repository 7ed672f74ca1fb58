internal import CIdentityOpenSSL

/// AES-128 in cipher block chaining mode with PKCS #7 padding (NIST SP 800-38A, RFC 5652 section 6.3).
///
/// AES-CBC does not detect a changed ciphertext, so verify an HMAC of the ciphertext before you decrypt. Use AES-CBC only for third-party
/// formats. Use `AESGCM` for this SDK's own formats.
package enum AESCBC {
    package static let keyCount = 16
    package static let blockCount = 16

    /// Returns the ciphertext, which is 1 to 16 bytes longer than the plaintext.
    package static func encrypt(
        _ plaintext: [UInt8],
        key: SecretBytes,
        initializationVector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try transform(plaintext, isEncrypting: true, key, initializationVector)
    }

    /// Decrypts a result of `encrypt`; throws `authenticationFailed` if the length or the padding is wrong.
    package static func decrypt(
        _ ciphertext: [UInt8],
        key: SecretBytes,
        initializationVector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try transform(ciphertext, isEncrypting: false, key, initializationVector)
    }

    private static func transform(
        _ input: [UInt8],
        isEncrypting: Bool,
        _ key: SecretBytes,
        _ vector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
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
        var isCompleted = false
        let isUpdated = unsafe algorithm.withContext(isEncrypting: isEncrypting, key, vector) { context in
            unsafe output.withUnsafeMutableBufferPointer { output in
                guard let start = output.baseAddress else { return false }
                var written: Int32 = 0
                var last: Int32 = 0
                guard unsafe EVP_CipherUpdate(context, start, &written, input, length) == 1 else { return false }
                // The last call allocates no memory. So if the last call of a decryption fails, the length or the padding is wrong.
                isCompleted = unsafe EVP_CipherFinal_ex(context, start + Int(written), &last) == 1
                count = Int(written + last)
                return true
            }
        }
        if isCompleted {
            output.removeLast(output.count - count)
            return output
        }
        wipe(&output)
        if isEncrypting { throw CryptoError(.operationFailed, "OpenSSL could not encrypt the data") }
        guard isUpdated else { throw CryptoError(.operationFailed, "OpenSSL failed before it could check the padding") }
        throw CryptoError(.authenticationFailed, "the length or the padding of the ciphertext is wrong")
    }
}
