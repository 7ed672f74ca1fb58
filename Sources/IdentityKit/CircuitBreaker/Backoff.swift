internal import IdentityPlatform

package enum Backoff {
    /// A random pause (full jitter); its upper bound is `first` after the first failure, and doubles with each failure up to `maximum`.
    ///
    /// The pause is at least `requested`, the pause that the provider requested, but never longer than `maximum`. If `random` throws, the
    /// upper bound replaces the random pause.
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
