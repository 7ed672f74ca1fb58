/// The reason why a cryptographic operation failed, without key material, plaintext or signatures.
package struct CryptoError: Error, Sendable, Equatable {
    package enum Code: Sendable {
        /// The operating system or OpenSSL could not supply random bytes.
        case randomUnavailable
        /// The key cannot be used: it is malformed, too weak, of an unsupported kind or size, or not a point of its curve, or its private
        /// and public half do not belong together.
        case invalidKey
        /// The operation does not allow the length of an input, or the requested length of the result.
        case invalidLength
        /// Decryption failed. `AESGCM`: the sealed bytes do not match the key, the nonce and the associated data. `AESCBC`: the length or
        /// the padding is wrong.
        case authenticationFailed
        /// The key cannot be used with the requested algorithm.
        case unsupportedAlgorithm
        /// OpenSSL failed for a reason that does not depend on the input, such as exhausted memory or a provider that is not loaded.
        case operationFailed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
