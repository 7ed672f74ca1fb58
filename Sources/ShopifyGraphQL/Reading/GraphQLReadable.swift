/// A value that can be read from a response.
///
/// Texts, numbers, flags, lists, optionals and the scalars of this module conform. The generator writes other types.
public protocol GraphQLReadable: Sendable {
    /// Reads the value at a place.
    ///
    /// - Throws: `GraphQLReadingError` with the path, never the value.
    init(_ node: GraphQLNode) throws(GraphQLReadingError)
}
