package import FoundationEssentials

/// A parsed JSON value (RFC 8259) that keeps the order of members, the text of numbers and the bytes of names.
///
/// ``init(parsing:limits:)`` refuses texts that two parsers could read differently: texts with duplicate names (also if one of the names
/// is escaped), with invalid UTF-8, with lone surrogates, or with trailing data.
public enum JSONValue: Sendable, Equatable {
    /// The literal `null`.
    case null
    /// One of the literals `true` and `false`.
    case bool(Bool)
    /// A number, kept as it was written.
    case number(JSONNumber)
    /// A string, decoded.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// The string; nil if the value is not a string.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The boolean; nil if the value is not a boolean: numbers and strings are not booleans.
    public var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The number; nil if the value is not a number: booleans and strings are not numbers.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The elements; nil if the value is not an array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The object; nil if the value is not an object.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// Whether the value is the literal `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member of an object; nil if the value is not an object or has no member of this name.
    public subscript(name: String) -> JSONValue? {
        object?[name]
    }

    /// Creates a number value from an integer.
    public static func integer(_ value: Int) -> JSONValue {
        .number(JSONNumber(value))
    }

    /// Compares strings by their bytes, not by Unicode canonical equivalence.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a.isIdentical(to: b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }
}

extension JSONValue {
    /// Parses a JSON text strictly (RFC 8259), and refuses duplicate names (RFC 7493 section 2.3).
    ///
    /// - Parameters:
    ///   - bytes: The whole text in UTF-8, without a byte order mark.
    ///   - limits: Bounds on size and nesting.
    /// - Throws: ``JSONError`` if the text is not exactly one well-formed value, or exceeds a limit.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self = try JSONTape.parsing(bytes, limits: limits).json(0)
    }

    /// A date as milliseconds since 1970, in the range of dates that records can contain.
    package static func date(_ date: Date) -> JSONValue { .integer(date.recordMilliseconds) }

    package var date: Date? { (number?.integer).flatMap { Date(recordMilliseconds: $0) } }

    package var strings: [String]? {
        guard let array else { return nil }
        var strings: [String] = []
        strings.reserveCapacity(array.count)
        for element in array {
            guard let string = element.string else { return nil }
            strings.append(string)
        }
        return strings
    }
}

extension Date {
    /// The time since 1970 in whole milliseconds.
    package var milliseconds: Double { (timeIntervalSince1970 * 1000).rounded() }

    /// The milliseconds since 1970 that a stored record contains.
    ///
    /// A date outside of the years 1970 to 9999 is clamped to this range, because other dates cannot be decoded.
    var recordMilliseconds: Int { milliseconds > 0 ? Int(min(milliseconds, 253_402_300_799_000)) : 0 }

    init?(recordMilliseconds: Int) {
        guard (0...253_402_300_799_000).contains(recordMilliseconds) else { return nil }
        self.init(timeIntervalSince1970: Double(recordMilliseconds) / 1000)
    }
}
