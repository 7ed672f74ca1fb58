extension String: GraphQLReadable {
    /// Reads a text.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = try node.text()
    }
}

extension Bool: GraphQLReadable {
    /// Reads true or false.
    ///
    /// Numbers are not accepted.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = try node.flag()
    }
}

extension Int: GraphQLReadable {
    /// Reads an integer without fraction or exponent.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self = try node.integer()
    }
}

extension Double: GraphQLReadable {
    /// Reads a finite number.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = Double(try node.number()), value.isFinite else { throw node.error("a finite number") }
        self = value
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
