public import IdentityKit

/// An enum of a schema, open: a value that Shopify adds tomorrow is read, kept, and sent back as it was.
///
/// A conforming type is a struct around the text, with a constant for each value that its author knew.
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
    /// A value with the given text, for example `GRAMS`.
    init(rawValue: String)
}

extension GraphQLOpenEnum {
    /// Reads a value, known or not.
    ///
    /// - Throws: `GraphQLReadingError` where there is no text, or one that is no name (GraphQL specification section 2.1.9).
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        let text = try node.text()
        guard GraphQLName.isName(text) else { throw node.error("an enum's value") }
        self.init(rawValue: text)
    }

    /// The text.
    public var graphQLValue: JSONValue { .string(rawValue) }

    /// The text.
    public var description: String { rawValue }
}

/// Names of GraphQL.
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
