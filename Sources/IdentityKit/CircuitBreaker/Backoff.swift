internal import IdentityPlatform

/// The pause after failures, which grows with each failure and is random (full jitter).
package enum Backoff {
    /// A random pause whose upper bound doubles with each failure, up to a maximum.
    ///
    /// - Parameters:
    ///   - failures: The number of failures in a row, at least 1.
    ///   - first: The longest pause after the first failure.
    ///   - requested: The pause that the provider requested. The returned pause is not shorter, but never longer than the maximum.
    ///   - maximum: The maximum pause.
    ///   - random: The source of the jitter; if it throws, the longest pause is used.
    /// - Returns: The pause.
    package static func pause(
        after failures: Int,
        first: Duration,
        atLeast requested: Duration? = nil,
        atMost maximum: Duration,
        random: any RandomSource
    ) -> Duration {
        let longest = min(maximum, first * (1 << min(max(failures - 1, 0), 20)))
        let byte = (try? random.bytes(1).first) ?? 255
        return max(Jitter.duration(from: .zero, to: longest, at: byte), min(requested ?? .zero, maximum))
    }
}
