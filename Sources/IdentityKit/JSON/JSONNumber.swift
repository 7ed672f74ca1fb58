/// A JSON number as it was written; conversions return nil instead of trapping.
public struct JSONNumber: Sendable, Equatable {
    /// The number's text, which follows the grammar of RFC 8259 section 6.
    public let text: String

    package init(validated text: String) {
        self.text = text
    }

    /// Creates a number from an integer.
    public init(_ value: Int) {
        text = String(value)
    }

    /// The value as an integer; nil if the text has a fraction or an exponent, or if the value does not fit into `Int`.
    public var integer: Int? {
        Int(text)
    }

    /// The value as a finite double; nil if it is out of range.
    public var double: Double? {
        // A double represents integers up to 2^53 exactly, and a text is converted to an integer much faster than to a double.
        if let integer, integer != 0, integer.magnitude <= 1 << 53 { return Double(integer) }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
