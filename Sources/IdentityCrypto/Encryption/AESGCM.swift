internal import CIdentityOpenSSL

/// AES-256 in Galois/counter mode (NIST SP 800-38D), with a 96-bit nonce and the full 128-bit tag.
package enum AESGCM {
    package static let keyCount = 32
    package static let nonceCount = 12
    package static let tagCount = 16

    /// Returns the prefix, which is not encrypted, the ciphertext and the tag; the same nonce must not be used twice with one key.
    package static func seal(
        _ plaintext: [UInt8],
        key: SecretBytes,
        nonce: [UInt8],
        associatedData: [UInt8],
        after prefix: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        let algorithm = try checkedAlgorithm(key: key, nonce: nonce)
        let plaintextLength = try length(plaintext.count)
        let associatedLength = try length(associatedData.count)
        var sealed = [UInt8](repeating: 0, count: prefix.count + plaintext.count + tagCount)
        sealed.replaceSubrange(..<prefix.count, with: prefix)
        let succeeded = unsafe algorithm.withContext(isEncrypting: true, key, nonce) { context in
            var written: Int32 = 0
            guard unsafe EVP_EncryptUpdate(context, nil, &written, associatedData, associatedLength) == 1
            else { return false }
            return unsafe sealed.withUnsafeMutableBufferPointer { output in
                guard let ciphertext = unsafe output.baseAddress.map({ unsafe $0 + prefix.count }) else { return false }
                let tag = unsafe ciphertext + plaintext.count
                // GCM is a stream mode: the update call writes every byte, and the final call only computes the tag.
                return unsafe EVP_EncryptUpdate(context, ciphertext, &written, plaintext, plaintextLength) == 1
                    && written == plaintextLength
                    && EVP_EncryptFinal_ex(context, tag, &written) == 1
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), tag) == 1
            }
        }
        guard succeeded else { throw CryptoError(.operationFailed, "OpenSSL could not encrypt the data") }
        return sealed
    }

    /// Decrypts a result of `seal`; throws `authenticationFailed` if the bytes do not match the key, nonce and associated data.
    package static func open(
        _ sealed: ArraySlice<UInt8>,
        key: SecretBytes,
        nonce: [UInt8],
        associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let algorithm = try checkedAlgorithm(key: key, nonce: nonce)
        guard sealed.count >= tagCount else {
            throw CryptoError(.authenticationFailed, "the sealed data is shorter than its tag")
        }
        let ciphertextLength = try length(sealed.count - tagCount)
        let associatedLength = try length(associatedData.count)
        var tag = Array(sealed.suffix(tagCount))
        var plaintext = [UInt8](repeating: 0, count: sealed.count - tagCount)
        var isOpened = false
        let isDecrypted = unsafe algorithm.withContext(isEncrypting: false, key, nonce) { context in
            var written: Int32 = 0
            var nothing: UInt8 = 0
            let isDecrypted = unsafe sealed.withUnsafeBufferPointer { sealed in
                unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1
                    && EVP_DecryptUpdate(context, nil, &written, associatedData, associatedLength) == 1
                    && EVP_DecryptUpdate(context, &plaintext, &written, sealed.baseAddress, ciphertextLength) == 1
                    && written == ciphertextLength
            }
            // The final call allocates no memory and writes no plaintext, so it fails only if the tag does not match.
            isOpened = unsafe isDecrypted && EVP_DecryptFinal_ex(context, &nothing, &written) == 1
            return isDecrypted
        }
        if !isOpened { wipe(&plaintext) }
        guard isDecrypted else {
            throw CryptoError(.operationFailed, "OpenSSL failed before it could check the sealed data")
        }
        guard isOpened else {
            throw CryptoError(
                .authenticationFailed,
                "the sealed data is damaged, or was sealed with another key or for another use"
            )
        }
        return plaintext
    }

    private static func checkedAlgorithm(key: SecretBytes, nonce: [UInt8]) throws(CryptoError) -> FetchedAlgorithm {
        guard key.count == keyCount else {
            throw CryptoError(.invalidKey, "an AES-256 key must have \(keyCount) bytes")
        }
        guard nonce.count == nonceCount else {
            throw CryptoError(.invalidLength, "the nonce must have \(nonceCount) bytes")
        }
        return try LazyAlgorithm.aes256GCM.available()
    }

    private static func length(_ count: Int) throws(CryptoError) -> Int32 {
        guard let length = Int32(exactly: count) else {
            throw CryptoError(.invalidLength, "more than 2^31 - 1 bytes cannot be sealed or opened at once")
        }
        return length
    }
}
