public import IdentityKit

/// The data of an answer with what came beside them.
public struct GraphQLResult<Output: Sendable>: Sendable {
    /// The data.
    public let data: Output
    /// Errors that left parts of the data null, such as a scope that the token has not.
    public let errors: [GraphQLError]
    /// What the headers told; of an answer out of a cache, those of the time when it was stored.
    public let metadata: GraphQLMetadata
    /// Whether the API answered, or a cache.
    public let origin: GraphQLOrigin
}

/// An answer that may have data, errors or both.
public struct PartialGraphQLResult<Output: Sendable>: Sendable {
    /// The data; nil where the answer has none, or where they cannot be read and ``errors`` tells why.
    public let data: Output?
    /// The errors.
    public let errors: [GraphQLError]
    /// What the headers told; of an answer out of a cache, those of the time when it was stored.
    public let metadata: GraphQLMetadata
    /// Whether the API answered, or a cache.
    public let origin: GraphQLOrigin
}

/// Where an answer comes from.
public enum GraphQLOrigin: Sendable {
    /// The API answered now.
    case network
    /// A cache had an answer of this age, as the policy wants it.
    case cache(age: Duration)
    /// The API failed with this error, and the cache had an answer of this age.
    case stale(age: Duration, because: IdentityError)
}
