package import FoundationEssentials

extension Duration {
    /// Whole seconds, for `expires_in`.
    package var wholeSeconds: Int {
        Int(clamping: components.seconds)
    }
}

extension Date {
    /// Whole seconds since 1970, for time claims.
    package var epochSeconds: Int {
        Int(clamping: Int64(timeIntervalSince1970.rounded(.down)))
    }
}
