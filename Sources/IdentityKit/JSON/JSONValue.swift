package import FoundationEssentials

/// A parsed JSON value (RFC 8259) that keeps the order of members, the text of numbers and the bytes of names.
///
/// ``init(parsing:limits:)`` refuses texts that two parsers could read differently: duplicate names (also when one of them is
/// escaped), invalid UTF-8, lone surrogates and trailing data.
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
    /// The bytes of a string as a secret; nil if the value is not a string.
    package var secret: Secret? { string.map { Secret($0) } }

    /// A date as milliseconds since 1970.
    ///
    /// A date outside of the years 1970 to 9999 is clamped to them, because only those can be decoded.
    package static func date(_ date: Date) -> JSONValue {
        .integer(date.milliseconds > 0 ? Int(min(date.milliseconds, 253_402_300_799_000)) : 0)
    }

    /// The date of milliseconds since 1970; nil outside of the years 1970 to 9999.
    package var date: Date? {
        guard let milliseconds = number?.integer, (0...253_402_300_799_000).contains(milliseconds) else { return nil }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The elements of an array of strings; nil for any other value.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }
}

extension Date {
    /// The time since 1970 in whole milliseconds.
    package var milliseconds: Double { (timeIntervalSince1970 * 1000).rounded() }
}

/// A JSON object, which keeps the order of its members and compares names by bytes.
public struct JSONObject: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// The members in order.
    public private(set) var members: [(name: String, value: JSONValue)] = []

    /// An object without members.
    public init() {}

    /// Creates an object with the given members; a later member replaces an earlier one of the same name.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a member; setting nil removes it.
    public subscript(name: String) -> JSONValue? {
        get {
            index(of: name).map { members[$0].value }
        }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): append(name, value)
            case (nil, nil): break
            }
        }
    }

    func contains(_ name: String) -> Bool { index(of: name) != nil }

    // A loop over the indices is used, because `firstIndex(where:)` would copy each member.
    private func index(of name: String) -> Int? {
        for index in members.indices where members[index].name.isIdentical(to: name) { return index }
        return nil
    }

    /// Appends a member whose name is known to be new, which saves the search for it; nil is not appended.
    package mutating func append(_ name: String, _ value: JSONValue?) {
        guard let value else { return }
        if members.isEmpty { members.reserveCapacity(8) }
        members.append((name, value))
    }

    /// Equal when both have the same members, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }
}

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

    /// The value as an integer; nil if it has a fraction or an exponent, or does not fit.
    public var integer: Int? {
        Int(text)
    }

    /// The value as a finite double; nil if it is out of range.
    public var double: Double? {
        // A double represents integers up to 2^53 exactly, and their text is read much faster as an integer.
        if let integer, integer != 0, integer.magnitude <= 1 << 53 { return Double(integer) }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
