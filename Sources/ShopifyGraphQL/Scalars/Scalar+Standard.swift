public import IdentityKit

extension UInt64: GraphQLReadable, GraphQLWritable {
    /// Reads the scalar `UnsignedInt64`, a text of digits.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        let text = try node.text()
        guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let value = UInt64(text) else {
            throw node.error("an unsigned integer")
        }
        self = value
    }

    /// The digits as a JSON string.
    public var graphQLValue: JSONValue { .string(String(self)) }
}

extension JSONValue: GraphQLReadable, GraphQLWritable {
    /// Reads the scalar `JSON`: any value.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = node.json()
    }

    /// The value, unchanged.
    public var graphQLValue: JSONValue { self }
}

extension Secret: GraphQLReadable, GraphQLWritable {
    /// Reads a secret text, such as a token.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self.init(try node.text())
    }

    /// The secret's text, for a request's body.
    public var graphQLValue: JSONValue { .string(reveal()) }
}

extension String: GraphQLReadable, GraphQLWritable {
    /// Reads a text.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = try node.text()
    }

    /// The text as a JSON string.
    public var graphQLValue: JSONValue { .string(self) }
}

extension Bool: GraphQLReadable, GraphQLWritable {
    /// Reads true or false; other values, such as 0 and 1, are errors.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = try node.flag()
    }

    /// The value as a JSON boolean.
    public var graphQLValue: JSONValue { .bool(self) }
}

extension Int: GraphQLReadable, GraphQLWritable {
    /// Reads an integer without fraction or exponent.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = try node.integer()
    }

    /// The value as a JSON number.
    public var graphQLValue: JSONValue { .integer(self) }
}

extension Double: GraphQLReadable, GraphQLWritable {
    /// Reads a finite number.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = Double(try node.number()), value.isFinite else { throw node.error("a finite number") }
        self = value
    }

    /// The value as a JSON number; null if it is not finite, because JSON cannot represent such a number.
    public var graphQLValue: JSONValue {
        isFinite ? .number(JSONNumber(validated: String(describing: self))) : .null
    }
}

extension Optional: GraphQLReadable where Wrapped: GraphQLReadable {
    /// Reads null and missing values as nil.
    @inlinable
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = node.isNull ? nil : try Wrapped(node)
    }
}

extension Array: GraphQLReadable where Element: GraphQLReadable {
    /// Reads a list.
    @inlinable
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = try node.list()
    }
}

extension Array: GraphQLWritable where Element: GraphQLWritable {
    /// The elements as a JSON array.
    @inlinable public var graphQLValue: JSONValue {
        // A closure is faster than the key path `\.graphQLValue`, which generic code would create again in each call.
        .array(map { $0.graphQLValue })
    }
}
