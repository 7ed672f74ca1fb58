internal import FoundationEssentials

extension Duration {
    /// Whole seconds, as `expires_in` wants them.
    var wholeSeconds: Int {
        Int(clamping: components.seconds)
    }
}

extension Date {
    /// Whole seconds since 1970, as time claims want them.
    var epochSeconds: Int {
        Int(clamping: Int64(timeIntervalSince1970.rounded(.down)))
    }
}
