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

    /// The digits as a text.
    public var graphQLValue: JSONValue { .string(String(self)) }
}

extension JSONValue: GraphQLReadable, GraphQLWritable {
    /// Reads the scalar `JSON`: any value.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = node.json()
    }

    /// The value itself.
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

extension Double: GraphQLWritable {
    /// A number, or null for one that is not finite, because JSON cannot represent it.
    public var graphQLValue: JSONValue {
        isFinite ? .number(JSONNumber(validated: String(describing: self))) : .null
    }
}
