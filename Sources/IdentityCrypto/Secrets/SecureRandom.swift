internal import CIdentityOpenSSL

extension [UInt8] {
    /// Zero bytes for a short array: faster than `init(repeating:count:)`, for which Swift's runtime looks up the array's generic type.
    ///
    /// For a long array, this function is slow in a debug build.
    static func zeros(_ count: Int) -> [UInt8] { Array(repeatElement(0, count: count)) }
}

/// Generates random bytes for keys, nonces and `state` with OpenSSL's generator, which the operating system seeds.
package enum SecureRandom {
    /// Returns random bytes; request all bytes of an operation at once, because each call of OpenSSL has a high fixed cost.
    package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        guard count >= 0, let length = Int32(exactly: count) else {
            throw CryptoError(.invalidLength, "the number of random bytes must be between 0 and 2^31 - 1")
        }
        var bytes = [UInt8].zeros(count)
        guard ErrorQueue.emptiedAfterFailure({ unsafe RAND_bytes(&bytes, length) == 1 }) else {
            throw CryptoError(.randomUnavailable, "OpenSSL's random generator is not available")
        }
        return bytes
    }
}
