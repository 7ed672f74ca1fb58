/// Random durations, so that callers that wait for the same thing do not all come back at the same moment.
package enum Jitter {
    /// A duration between two others.
    ///
    /// - Parameters:
    ///   - shortest: The lower bound.
    ///   - longest: The upper bound.
    ///   - position: Where between them, 0 for the lower and 255 for the upper bound; at random when it is not given.
    /// - Returns: The duration.
    package static func duration(
        from shortest: Duration,
        to longest: Duration,
        at position: UInt8 = .random(in: 0...255)
    ) -> Duration {
        shortest + (longest - shortest) * Int(position) / 255
    }
}
