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
