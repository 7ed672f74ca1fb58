/// Chooses random durations, so that tasks or processes that begin to wait at the same moment do not all continue at the same moment.
package enum Jitter {
    /// Returns a duration between two bounds; the position 0 is the lower bound, 255 the upper bound.
    package static func duration(
        from shortest: Duration,
        to longest: Duration,
        at position: UInt8 = .random(in: 0...255)
    ) -> Duration {
        shortest + (longest - shortest) * Int(position) / 255
    }
}
