internal import IdentityCrypto

/// A source of unpredictable bytes; tests can use a source that returns the same bytes in every run.
public protocol RandomSource: Sendable {
    /// Makes `count` fresh random bytes.
    ///
    /// - Throws: Any error when no unpredictable bytes are available; the operation that needs them, such as a login, then fails.
    func bytes(_ count: Int) throws -> [UInt8]
}

extension RandomSource {
    /// Makes random bytes and checks their number, because an attacker could guess a secret that is made from too few bytes.
    package func exactly(_ count: Int) throws(IdentityError) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try self.bytes(count) } catch { throw .wrapping(error) }
        guard bytes.count == count else {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "The random source returned \(bytes.count) bytes instead of \(count).",
                hint: "Correct the RandomSource of the environment: it must return the requested number of bytes."
            )
        }
        return bytes
    }
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
                "OpenSSL returned no random bytes.",
                hint:
                    "Check that openssl.cnf does not disable OpenSSL's default provider, and that the process may call getrandom().",
                cause: error
            )
        }
    }
}
