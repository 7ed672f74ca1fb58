package import FoundationEssentials

extension Duration {
    package var timeInterval: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Seconds as a duration, limited to a thousand years, because times from outside may have any value; NaN becomes zero.
    init(limited seconds: TimeInterval) {
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -3.2e10), 3.2e10))
    }
}
