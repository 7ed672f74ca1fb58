internal import IdentityCrypto

/// Unpredictable bytes, injected so that tests can be repeated.
public protocol RandomSource: Sendable {
    /// Fresh random bytes.
    ///
    /// - Throws: When the source cannot vouch for the bytes; a login then fails rather than being guessable.
    func bytes(_ count: Int) throws -> [UInt8]
}

/// OpenSSL's cryptographically secure generator.
public struct SystemRandom: RandomSource {
    /// Creates the source.
    public init() {}

    /// Bytes from OpenSSL's `RAND_bytes`.
    public func bytes(_ count: Int) throws -> [UInt8] {
        do {
            return try SecureRandom.bytes(count)
        } catch {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "The system gave no random bytes.",
                hint: "Check that the process may use getrandom().",
                cause: error
            )
        }
    }
}
