/// Chooses random durations, so that tasks or processes that begin to wait at the same moment do not all continue at the same moment.
package enum Jitter {
    /// Returns a duration between two bounds.
    ///
    /// - Parameters:
    ///   - shortest: The lower bound.
    ///   - longest: The upper bound.
    ///   - position: The position between the bounds, from 0 (lower bound) to 255 (upper bound); by default random.
    /// - Returns: The duration.
    package static func duration(
        from shortest: Duration,
        to longest: Duration,
        at position: UInt8 = .random(in: 0...255)
    ) -> Duration {
        shortest + (longest - shortest) * Int(position) / 255
    }
}
