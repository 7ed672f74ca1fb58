public import FoundationEssentials
public import IdentityKit

/// A decimal number as Shopify wrote it (scalar `Decimal`), such as an amount of money.
///
/// The number is not rounded. Two numbers with the same value are equal, such as `12.5` and `12.50`; compare ``text`` to distinguish them.
public struct ShopifyDecimal: Hashable, Comparable, Sendable {
    /// The number as it was written, for example `12.50`.
    public let text: String

    /// Foundation's `Decimal` represents every number of up to 38 digits exactly.
    private static let maximumDigits = 38

    /// Creates a number from its text; nil unless it is an optional minus sign, digits, and optionally a point with digits.
    ///
    /// - Parameter text: At most 64 characters, with at most 38 digits; leading zeros, and zeros at the end of the fraction, do not count.
    public init?(text: String) {
        guard Self.parts(text) != nil else { return nil }
        self.text = text
    }

    /// Creates a number; nil for NaN, and for a number with more characters or digits than ``init(text:)`` accepts.
    public init?(_ decimal: Decimal) {
        self.init(text: decimal.description)
    }

    /// The exact value.
    public var decimal: Decimal {
        parts.digits == 0 ? .zero : Decimal(string: text) ?? .zero
    }

    /// A number in canonical form: without trailing zeros of the fraction, and zero without a sign.
    private struct Parts: Hashable {
        var isNegative = false
        var digits: UInt128 = 0
        var fraction = 0
    }

    private var parts: Parts { Self.parts(text) ?? Parts() }

    private static func parts(_ text: String) -> Parts? {
        guard text.utf8.count <= 64 else { return nil }
        var parts = Parts()
        var digitsBeforePoint = 0
        var hasPoint = false
        var places = 0
        var zeros = 0
        for (offset, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "-") where offset == 0: parts.isNegative = true
            case UInt8(ascii: ".") where !hasPoint && digitsBeforePoint > 0: hasPoint = true
            case UInt8(ascii: "0") where hasPoint:
                places += 1
                zeros += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if hasPoint { places += 1 } else { digitsBeforePoint += 1 }
                // Zeros of the fraction become part of the number when another digit follows them.
                for _ in 0...zeros {
                    let (product, isTooLarge) = parts.digits.multipliedReportingOverflow(by: 10)
                    guard !isTooLarge else { return nil }
                    parts.digits = product
                }
                zeros = 0
                let (sum, isTooLarge) = parts.digits.addingReportingOverflow(UInt128(byte - UInt8(ascii: "0")))
                guard !isTooLarge else { return nil }
                parts.digits = sum
                if hasPoint { parts.fraction = places }
            default: return nil
            }
        }
        guard digitsBeforePoint > 0, !hasPoint || places > 0, parts.digits < Self.bound else { return nil }
        if parts.digits == 0 { parts.isNegative = false }
        return parts
    }

    private static let bound = (0..<maximumDigits).reduce(UInt128(1)) { power, _ in power * 10 }

    /// Whether both numbers have the same value.
    public static func == (left: ShopifyDecimal, right: ShopifyDecimal) -> Bool {
        left.parts == right.parts
    }

    /// Whether the left number is smaller.
    public static func < (left: ShopifyDecimal, right: ShopifyDecimal) -> Bool {
        left.decimal < right.decimal
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts)
    }
}

extension ShopifyDecimal: CustomStringConvertible {
    /// The same as ``text``.
    public var description: String { text }
}

extension ShopifyDecimal: GraphQLReadable, GraphQLWritable {
    /// Reads a number's text.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = ShopifyDecimal(text: try node.text()) else { throw node.error("a decimal number") }
        self = value
    }

    /// The number as a JSON string.
    public var graphQLValue: JSONValue { .string(text) }
}
