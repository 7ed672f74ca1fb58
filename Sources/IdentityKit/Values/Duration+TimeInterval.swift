package import FoundationEssentials

extension Duration {
    /// The duration in seconds, for arithmetic with dates.
    package var timeInterval: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
