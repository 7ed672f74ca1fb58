/// A value that can be read from a response.
///
/// `String`, numbers, `Bool`, lists, optionals and the scalars of this module conform. `storefront-gen` writes the types for documents.
public protocol GraphQLReadable: Sendable {
    /// Reads the value at a place.
    ///
    /// - Throws: `GraphQLReadingError` with the path of the place, but not its value.
    init(_ node: GraphQLNode) throws(GraphQLReadingError)
}

/// The error for a value in a response that has the wrong form.
///
/// It contains the value's path, but not the value.
public struct GraphQLReadingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path from `data` to the value, for example `.cart.lines.nodes[3].id`.
    public let path: String
    /// The expected form, for example `a text`.
    public let expected: String

    /// Creates an error at a path.
    public init(path: String, expected: String) {
        self.path = path
        self.expected = expected
    }

    /// The path and the expected form, for example `data.cart.id is not a text`.
    public var description: String { "data\(path) is not \(expected)" }
}
