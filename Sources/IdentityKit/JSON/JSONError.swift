/// The error for a text that is not accepted as JSON; it contains no part of the text.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The mistake in the text; safe to log.
    public let reason: String
    /// The offset of the mistake in bytes; for a text that ends too early, the offset of its end; for a text that is too large, 0.
    public let offset: Int

    package init(reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason and the offset.
    public var description: String { "\(reason) at byte \(offset)" }
}
