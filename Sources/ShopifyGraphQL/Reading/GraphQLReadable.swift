/// A value that can be read from a response.
///
/// `String`, numbers, `Bool`, lists, optionals and the scalars of this module conform. `storefront-gen` writes the types for documents.
public protocol GraphQLReadable: Sendable {
    /// Reads the value at a place.
    ///
    /// - Throws: `GraphQLReadingError` with the path of the place, but not its value.
    init(_ node: GraphQLNode) throws(GraphQLReadingError)
}
