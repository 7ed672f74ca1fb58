package import FoundationEssentials

extension Duration {
    package var wholeSeconds: Int {
        Int(clamping: components.seconds)
    }
}

extension Date {
    package var epochSeconds: Int {
        Int(clamping: Int64(timeIntervalSince1970.rounded(.down)))
    }
}
