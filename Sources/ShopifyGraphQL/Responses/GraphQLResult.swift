public import IdentityKit

/// The data of a response, with its errors and metadata.
public struct GraphQLResult<Output: Sendable>: Sendable {
    /// The data of the response.
    public let data: Output
    /// The errors that left parts of the data null, for example because the token lacks a scope.
    public let errors: [GraphQLError]
    /// The metadata of the response.
    ///
    /// For a cached response, they have their values at the time when it was stored.
    public let metadata: GraphQLMetadata
    /// Whether the response came from the API or from a cache.
    public let origin: GraphQLOrigin
}

/// A response that may have data, errors or both.
public struct PartialGraphQLResult<Output: Sendable>: Sendable {
    /// The data; nil if the response has no data, or unreadable data; ``errors`` says why.
    public let data: Output?
    /// The errors of the response.
    public let errors: [GraphQLError]
    /// The metadata of the response.
    ///
    /// For a cached response, they have their values at the time when it was stored.
    public let metadata: GraphQLMetadata
    /// Whether the response came from the API or from a cache.
    public let origin: GraphQLOrigin
}

/// The source of a response.
public enum GraphQLOrigin: Sendable {
    /// The API responded to this call, or to an equal call at the same time whose request this call shares.
    case network
    /// The cache had a response of this age, as the policy allows.
    case cache(age: Duration)
    /// The API failed with this error, and the cache had a response of this age.
    case stale(age: Duration, because: IdentityError)
}
