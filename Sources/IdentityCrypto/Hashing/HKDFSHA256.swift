internal import CIdentityOpenSSL

/// HKDF with SHA-256, extract and expand (RFC 5869).
package enum HKDFSHA256 {
    /// The maximum length of a derived key: 255 blocks of the hash (RFC 5869 section 2.3).
    package static let maximumCount = 255 * 32

    /// Derives a key of `count` bytes.
    ///
    /// Pass a different `info` for each purpose of a derived key, so that the keys derived from one secret differ.
    ///
    /// - Throws: `invalidKey` for an empty key, `invalidLength` for a count outside 1...8160, `operationFailed` if OpenSSL fails.
    package static func deriveKey(
        from key: SecretBytes,
        salt: [UInt8],
        info: [UInt8],
        count: Int
    ) throws(CryptoError) -> SecretBytes {
        guard key.count > 0 else { throw CryptoError(.invalidKey, "the input key of HKDF is empty") }
        guard (1...maximumCount).contains(count) else {
            throw CryptoError(.invalidLength, "HKDF-SHA-256 derives between 1 and \(maximumCount) bytes")
        }
        let parameters = ParameterList()
        parameters.add(OSSL_KDF_PARAM_INFO, octets: info)
        return try derive(from: key, salt: salt, parameters, count: count)
    }

    private static func derive(
        from key: SecretBytes,
        salt: [UInt8],
        _ parameters: ParameterList,
        count: Int
    ) throws(CryptoError) -> SecretBytes {
        let algorithm = try LazyAlgorithm.hkdf.available()
        parameters.add(OSSL_KDF_PARAM_DIGEST, text: "SHA2-256")
        unsafe key.withUnsafeBytes { unsafe parameters.add(OSSL_KDF_PARAM_KEY, octets: $0) }
        parameters.add(OSSL_KDF_PARAM_SALT, octets: salt)
        return try unsafe SecretBytes(count: count) { (output) throws(CryptoError) in
            let succeeded = ErrorQueue.preserved {
                guard let context = unsafe EVP_KDF_CTX_new(algorithm.pointer) else { return false }
                defer { unsafe EVP_KDF_CTX_free(context) }
                return unsafe parameters.withPointer {
                    unsafe EVP_KDF_derive(
                        context,
                        output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        output.count,
                        $0
                    ) == 1
                }
            }
            guard succeeded else { throw CryptoError(.operationFailed, "the key could not be derived") }
        }
    }

    /// The pseudorandom key that HKDF-Extract computes (RFC 5869 section 2.2); use it to derive many keys from one secret.
    package struct PseudorandomKey: Sendable {
        private let key: HMACSHA256

        /// Computes the pseudorandom key from a secret and a salt.
        ///
        /// - Throws: `invalidKey` for an empty key, `operationFailed` if OpenSSL fails.
        package init(from key: SecretBytes, salt: [UInt8]) throws(CryptoError) {
            guard key.count > 0 else { throw CryptoError(.invalidKey, "the input key of HKDF is empty") }
            let parameters = ParameterList()
            parameters.add(OSSL_KDF_PARAM_MODE, text: "EXTRACT_ONLY")
            self.key = HMACSHA256(try HKDFSHA256.derive(from: key, salt: salt, parameters, count: HMACSHA256.codeCount))
        }

        /// A key of 32 bytes, equal to the result of ``HKDFSHA256/deriveKey(from:salt:info:count:)`` with `count` 32.
        ///
        /// It is the first block of HKDF-Expand (RFC 5869 section 2.3): the HMAC of `info` followed by the block's number, 1.
        package func deriveKey(info: [UInt8]) throws(CryptoError) -> SecretBytes {
            try key.secretCode(for: info + [1])
        }
    }
}
