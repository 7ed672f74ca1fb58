internal import IdentityCrypto

/// A source of unpredictable bytes; tests inject one that returns the same bytes in every run.
public protocol RandomSource: Sendable {
    /// Makes fresh random bytes.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: The requested number of bytes.
    /// - Throws: Any error when no unpredictable bytes are available; the login then fails.
    func bytes(_ count: Int) throws -> [UInt8]
}

/// OpenSSL's cryptographically secure random generator.
public struct SystemRandom: RandomSource {
    /// Creates the source.
    public init() {}

    /// Makes random bytes with OpenSSL's `RAND_bytes`.
    public func bytes(_ count: Int) throws -> [UInt8] {
        do {
            return try SecureRandom.bytes(count)
        } catch {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "The system returned no random bytes.",
                hint: "Allow the process to call getrandom().",
                cause: error
            )
        }
    }
}
