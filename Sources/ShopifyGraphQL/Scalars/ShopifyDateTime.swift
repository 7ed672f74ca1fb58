public import FoundationEssentials
public import IdentityKit

/// A time as Shopify wrote it (scalars `DateTime` and `ISO8601DateTime`, RFC 3339).
///
/// Two values are equal when they are the same time, also with different offsets. Compare ``text`` to distinguish them.
public struct ShopifyDateTime: Hashable, Comparable, Sendable {
    /// The time as it was written, for example `2026-11-22T09:30:00-05:00`.
    public let text: String
    /// Whole seconds since 1 January 1970, UTC.
    let seconds: Int
    /// Nanoseconds after ``seconds``; further digits of the fraction are dropped.
    let nanoseconds: Int

    /// Creates a time from its text; nil unless it is a valid date with time and offset (RFC 3339).
    ///
    /// A leap second becomes the next second.
    public init?(text: String) {
        guard let parts = RFC3339.parse(text) else { return nil }
        self.text = text
        seconds = parts.seconds
        nanoseconds = parts.nanoseconds
    }

    /// Creates a time in UTC, rounded to milliseconds; nil outside of the years 0 to 9999.
    public init?(_ date: Date) {
        let milliseconds = date.milliseconds
        guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else { return nil }
        self.init(text: RFC3339.text(milliseconds: Int(milliseconds)))
    }

    /// The time as a `Date`.
    public var date: Date {
        Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
    }

    /// Whether the two values are the same time.
    public static func == (left: ShopifyDateTime, right: ShopifyDateTime) -> Bool {
        left.seconds == right.seconds && left.nanoseconds == right.nanoseconds
    }

    /// Whether the left time is earlier.
    public static func < (left: ShopifyDateTime, right: ShopifyDateTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// Hashes the time.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(seconds)
        hasher.combine(nanoseconds)
    }
}

extension ShopifyDateTime: CustomStringConvertible {
    /// The same as ``text``.
    public var description: String { text }
}

extension ShopifyDateTime: GraphQLReadable, GraphQLWritable {
    /// Reads the text of a time.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = ShopifyDateTime(text: try node.text()) else {
            throw node.error("a date with time and offset")
        }
        self = value
    }

    /// The time as a JSON string.
    public var graphQLValue: JSONValue { .string(text) }
}
