internal import CIdentityOpenSSL

/// HKDF with SHA-256, extract and expand (RFC 5869).
package enum HKDFSHA256 {
    /// The result of HKDF-Extract (RFC 5869 section 2.2), from which many keys can be derived.
    package struct PseudorandomKey: Sendable {
        private let key: HMACSHA256

        package init(from key: SecretBytes, salt: [UInt8]) throws(CryptoError) {
            guard key.count > 0 else { throw CryptoError(.invalidKey, "the input key of HKDF is empty") }
            let algorithm = try LazyAlgorithm.hkdf.available()
            let parameters = ParameterList()
            parameters.add(OSSL_KDF_PARAM_MODE, text: "EXTRACT_ONLY")
            parameters.add(OSSL_KDF_PARAM_DIGEST, text: "SHA2-256")
            unsafe key.withUnsafeBytes { unsafe parameters.add(OSSL_KDF_PARAM_KEY, octets: $0) }
            parameters.add(OSSL_KDF_PARAM_SALT, octets: salt)
            let extracted = try unsafe SecretBytes(count: HMACSHA256.codeCount) { (output) throws(CryptoError) in
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
                guard succeeded else { throw CryptoError(.operationFailed, "OpenSSL could not derive a key with HKDF") }
            }
            self.key = HMACSHA256(extracted)
        }

        /// Derives a key of 32 bytes: the first block of HKDF-Expand (RFC 5869 section 2.3).
        ///
        /// Pass a different `info` for each purpose, so that the keys derived from one secret differ.
        package func deriveKey(info: [UInt8]) throws(CryptoError) -> SecretBytes {
            try key.secretCode(for: info + [1])
        }
    }
}
