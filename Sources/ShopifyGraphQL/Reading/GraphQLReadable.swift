/// A value that can be read from a place in an answer.
///
/// Texts, numbers, flags, lists and optionals conform, as do the scalars of this module; the generator writes the rest.
public protocol GraphQLReadable: Sendable {
    /// Reads the value at a place.
    ///
    /// - Throws: `GraphQLReadingError` that tells the path, never the value.
    init(_ node: GraphQLNode) throws(GraphQLReadingError)
}
