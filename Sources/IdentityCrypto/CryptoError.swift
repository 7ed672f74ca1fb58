/// Why a cryptographic operation was refused or failed.
///
/// It never contains key material, plaintext or a signature.
package struct CryptoError: Error, Sendable, Equatable {
    /// The reason for the error; its cases are stable across versions.
    package enum Code: Sendable {
        /// The operating system or OpenSSL could not supply random bytes.
        case randomUnavailable
        /// A key that is malformed, of an unsupported kind, too weak, or not a point of its curve, or whose halves do
        /// not match.
        case invalidKey
        /// An input whose length the operation does not allow.
        case invalidLength
        /// Sealed bytes, associated data, nonce and key do not match.
        case authenticationFailed
        /// The key cannot be used with the requested algorithm.
        case unsupportedAlgorithm
        /// OpenSSL failed for a reason that is independent of the input, such as exhausted memory or a provider that is
        /// not loaded.
        case operationFailed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
