/// Why a cryptographic operation was refused or failed.
///
/// It never contains key material, plaintext or a signature.
package struct CryptoError: Error, Sendable, Equatable {
    /// What went wrong, stable across versions.
    package struct Code: Sendable, Hashable {
        package let name: String

        package init(_ name: String) {
            self.name = name
        }

        /// The operating system or OpenSSL could not supply random bytes.
        package static let randomUnavailable = Code("random_unavailable")
        /// A key that is malformed, of an unsupported kind, too weak, or not a point of its curve, or whose halves do
        /// not match.
        package static let invalidKey = Code("invalid_key")
        /// An input whose length the operation does not allow.
        package static let invalidLength = Code("invalid_length")
        /// Sealed bytes, associated data, nonce and key do not match.
        package static let authenticationFailed = Code("authentication_failed")
        /// The key cannot be used with the requested algorithm.
        package static let unsupportedAlgorithm = Code("unsupported_algorithm")
        /// OpenSSL failed for a reason that is independent of the input, such as exhausted memory or a provider that is
        /// not loaded.
        package static let operationFailed = Code("operation_failed")
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
