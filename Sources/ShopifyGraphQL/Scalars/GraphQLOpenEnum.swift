public import IdentityKit

/// An enum of a schema that accepts unknown values: they are read, kept, and sent back unchanged.
///
/// A conforming type is a struct that contains the text, with a constant for each known value.
///
/// ```swift
/// struct WeightUnit: GraphQLOpenEnum {
///     let rawValue: String
///     static let grams = WeightUnit(rawValue: "GRAMS")
/// }
/// ```
public protocol GraphQLOpenEnum: RawRepresentable, Hashable, Sendable, CustomStringConvertible, GraphQLReadable,
    GraphQLWritable
where RawValue == String {
    /// Creates a value from its text, for example `GRAMS`.
    init(rawValue: String)
}

extension GraphQLOpenEnum {
    /// Reads a value, known or unknown.
    ///
    /// - Throws: `GraphQLReadingError` when the value is not a text, or the text is not a name (GraphQL specification section 2.1.9).
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        let text = try node.text()
        guard GraphQLName.isName(text) else { throw node.error("an enum's value") }
        self.init(rawValue: text)
    }

    /// The value as a JSON string.
    public var graphQLValue: JSONValue { .string(rawValue) }

    /// The same as `rawValue`.
    public var description: String { rawValue }
}

/// Checks names (GraphQL specification section 2.1.9).
enum GraphQLName {
    static func isName(_ text: String) -> Bool {
        var isFirst = true
        for byte in text.utf8 {
            let isLetter = (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
            guard isLetter || !isFirst && byte &- UInt8(ascii: "0") < 10 else { return false }
            isFirst = false
        }
        return !isFirst
    }
}
