/// A value in a response has the wrong form.
///
/// The error contains its path, never the value.
public struct GraphQLReadingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path from `data`, for example `.cart.lines.nodes[3].id`.
    public let path: String
    /// The expected form, for example `a text`.
    public let expected: String

    /// Creates an error at a path.
    public init(path: String, expected: String) {
        self.path = path
        self.expected = expected
    }

    /// Path and expectation.
    public var description: String { "data\(path) is not \(expected)" }
}
