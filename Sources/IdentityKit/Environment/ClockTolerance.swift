package import FoundationEssentials

/// How far the clocks of this machine and of a provider may differ when the times of a token are checked.
package enum ClockTolerance {
    package static let seconds: TimeInterval = 60
}
