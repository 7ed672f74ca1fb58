/// The data of an answer with what came beside them.
public struct GraphQLResult<Output: Sendable>: Sendable {
    /// The data.
    public let data: Output
    /// Errors that left parts of the data null, such as a scope that the token has not.
    public let errors: [GraphQLError]
    /// What the headers told.
    public let metadata: GraphQLMetadata
}

/// An answer that may have data, errors or both.
public struct PartialGraphQLResult<Output: Sendable>: Sendable {
    /// The data; nil where the answer has none, or where they cannot be read and ``errors`` tells why.
    public let data: Output?
    /// The errors.
    public let errors: [GraphQLError]
    /// What the headers told.
    public let metadata: GraphQLMetadata
}
