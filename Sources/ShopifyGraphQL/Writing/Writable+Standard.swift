public import IdentityKit

extension String: GraphQLWritable {
    /// A text.
    public var graphQLValue: JSONValue { .string(self) }
}

extension Bool: GraphQLWritable {
    /// True or false.
    public var graphQLValue: JSONValue { .bool(self) }
}

extension Int: GraphQLWritable {
    /// A number.
    public var graphQLValue: JSONValue { .integer(self) }
}

extension Array: GraphQLWritable where Element: GraphQLWritable {
    /// A list.
    @inlinable public var graphQLValue: JSONValue {
        // A closure, because a generic key path is created anew in each call.
        .array(map { $0.graphQLValue })
    }
}
