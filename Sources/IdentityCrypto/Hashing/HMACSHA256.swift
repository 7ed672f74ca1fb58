internal import CIdentityOpenSSL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// The 32-byte authentication code of a message.
    ///
    /// Compare codes with `constantTimeEqual`.
    ///
    /// - Throws: `invalidKey` for an empty key, `operationFailed` if OpenSSL fails.
    package static func authenticationCode(for message: [UInt8], key: SecretBytes) throws(CryptoError) -> [UInt8] {
        // HMAC allows an empty key, but here it means that a configuration value is missing.
        guard key.count > 0 else { throw CryptoError(.invalidKey, "the HMAC key is empty") }
        let algorithm = try LazyAlgorithm.hmac.available()
        var code = [UInt8](repeating: 0, count: 32)
        let succeeded = ErrorQueue.preserved { compute(&code, of: message, key: key, algorithm: algorithm) }
        guard succeeded else { throw CryptoError(.operationFailed, "the authentication code could not be computed") }
        return code
    }

    private static func compute(
        _ code: inout [UInt8],
        of message: [UInt8],
        key: SecretBytes,
        algorithm: FetchedAlgorithm
    ) -> Bool {
        guard let context = unsafe EVP_MAC_CTX_new(algorithm.pointer) else { return false }
        defer { unsafe EVP_MAC_CTX_free(context) }
        let parameters = ParameterList()
        parameters.add(OSSL_MAC_PARAM_DIGEST, text: "SHA2-256")
        let initialized = unsafe key.withUnsafeBytes { key in
            unsafe parameters.withPointer { parameters in
                unsafe EVP_MAC_init(
                    context,
                    key.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    key.count,
                    parameters
                )
            }
        }
        var written = 0
        return unsafe initialized == 1
            && EVP_MAC_update(context, message, message.count) == 1
            && EVP_MAC_final(context, &code, &written, code.count) == 1
            && written == code.count
    }
}
