internal import CIdentityOpenSSL

/// AES-256 in Galois/counter mode (NIST SP 800-38D), with a 96-bit nonce and the full 128-bit tag.
package enum AESGCM {
    package static let keyCount = 32
    package static let nonceCount = 12
    package static let tagCount = 16

    /// Encrypts and authenticates; returns the ciphertext followed by the tag.
    ///
    /// A nonce must never be used twice with one key.
    ///
    /// - Throws: `invalidKey` if the key does not have 32 bytes; `invalidLength` if the nonce does not have 12 bytes, or an input has 2 GiB
    ///   or more; `operationFailed` if OpenSSL fails.
    package static func seal(
        _ plaintext: [UInt8],
        key: SecretBytes,
        nonce: [UInt8],
        associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let algorithm = try checkedAlgorithm(key: key, nonce: nonce)
        let plaintextLength = try length(plaintext.count)
        let associatedLength = try length(associatedData.count)
        var sealed = [UInt8](repeating: 0, count: plaintext.count + tagCount)
        let succeeded = ErrorQueue.preserved { () -> Bool in
            guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
            defer { unsafe EVP_CIPHER_CTX_free(context) }
            var written: Int32 = 0
            guard
                unsafe algorithm.start(EVP_EncryptInit_ex2, context, key, nonce),
                unsafe EVP_EncryptUpdate(context, nil, &written, associatedData, associatedLength) == 1
            else { return false }
            return unsafe sealed.withUnsafeMutableBufferPointer { output in
                guard let ciphertext = output.baseAddress else { return false }
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

    /// Checks the tag and decrypts what `seal` returned.
    ///
    /// No plaintext is returned before the tag is checked.
    ///
    /// - Throws: `authenticationFailed` if the sealed bytes, key, nonce or associated data differ from those at encryption;
    ///   `operationFailed` if OpenSSL fails before it compares the tag, for example without memory; `invalidKey` or `invalidLength` in
    ///   the same cases as `seal`.
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
        let outcome = ErrorQueue.preserved { () -> Opening in
            guard let context = unsafe EVP_CIPHER_CTX_new() else { return .failed }
            defer { unsafe EVP_CIPHER_CTX_free(context) }
            var written: Int32 = 0
            var nothing: UInt8 = 0
            let isDecrypted = unsafe sealed.withUnsafeBufferPointer { sealed in
                unsafe algorithm.start(EVP_DecryptInit_ex2, context, key, nonce)
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1
                    && EVP_DecryptUpdate(context, nil, &written, associatedData, associatedLength) == 1
                    && EVP_DecryptUpdate(context, &plaintext, &written, sealed.baseAddress, ciphertextLength) == 1
                    && written == ciphertextLength
            }
            guard isDecrypted else { return .failed }
            // The final call allocates no memory and writes no plaintext, so it fails only if the tag does not match.
            return unsafe EVP_DecryptFinal_ex(context, &nothing, &written) == 1 ? .opened : .refused
        }
        if outcome != .opened { wipe(&plaintext) }
        switch outcome {
        case .opened: return plaintext
        case .refused:
            throw CryptoError(
                .authenticationFailed,
                "the sealed data is damaged, or was sealed with another key or for another use"
            )
        case .failed: throw CryptoError(.operationFailed, "OpenSSL failed before it could check the sealed data")
        }
    }

    private enum Opening {
        case opened
        /// The tag does not match the data.
        case refused
        /// OpenSSL failed before it compared the tag, so the data may be intact.
        case failed
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
