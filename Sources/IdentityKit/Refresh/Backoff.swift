internal import IdentityPlatform

/// How long to wait after failures: longer each time, and never the same for all (full jitter).
package enum Backoff {
    /// A pause between zero and twice the one before, capped.
    ///
    /// - Parameters:
    ///   - failures: How many there were in a row, from 1.
    ///   - first: The longest pause after the first.
    ///   - asked: What the provider asked for, which is a lower bound, capped like the rest.
    ///   - maximum: The cap.
    ///   - random: Where the jitter comes from; without it the pause is the longest.
    /// - Returns: The pause.
    package static func pause(
        after failures: Int,
        first: Duration,
        atLeast asked: Duration? = nil,
        atMost maximum: Duration,
        random: any RandomSource
    ) -> Duration {
        let longest = min(maximum, first * (1 << min(max(failures - 1, 0), 20)))
        let byte = (try? random.bytes(1).first) ?? 255
        return max(Jitter.duration(from: .zero, to: longest, at: byte), min(asked ?? .zero, maximum))
    }
}
