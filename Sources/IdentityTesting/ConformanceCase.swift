public import Testing

/// One requirement of a conformance suite.
public struct ConformanceCase<Subject>: Sendable, CustomTestStringConvertible {
    /// The requirement as a sentence.
    public let name: String
    let body: @Sendable (Subject) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (Subject) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// The same as ``name``.
    public var testDescription: String { name }
}
