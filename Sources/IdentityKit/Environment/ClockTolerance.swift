package import FoundationEssentials

/// How far the clocks of this machine and of a provider may differ when the times of a token are checked.
package enum ClockTolerance {
    /// The permitted difference in seconds.
    package static let seconds: TimeInterval = 60
}
