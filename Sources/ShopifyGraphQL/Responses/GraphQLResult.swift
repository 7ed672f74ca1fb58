public import IdentityKit

/// The result of an operation: the data of the response, its errors and its metadata.
public struct GraphQLResult<Output: Sendable>: Sendable {
    /// The data of the response.
    public let data: Output
    /// The errors that left parts of the data null, for example because the token lacks a scope.
    public let errors: [GraphQLError]
    /// The metadata of the response; for a cached response, the metadata of the original response.
    public let metadata: GraphQLMetadata
    /// Whether the response came from the API or from a cache.
    public let origin: GraphQLOrigin
}

/// The result of an operation that may have data, errors or both.
public struct PartialGraphQLResult<Output: Sendable>: Sendable {
    /// The data; nil if the response has errors and no usable data.
    ///
    /// Data that contain only null fields or cannot be read are not usable. If the data are nil, ``errors`` says why.
    public let data: Output?
    /// The errors of the response.
    public let errors: [GraphQLError]
    /// The metadata of the response; for a cached response, the metadata of the original response.
    public let metadata: GraphQLMetadata
    /// Whether the response came from the API or from a cache.
    public let origin: GraphQLOrigin
}

/// Whether a response came from the API or from a cache.
public enum GraphQLOrigin: Sendable {
    /// The API responded to this call, or to an equal call at the same time whose request this call shares.
    case network
    /// The response came from the cache and has this age, which the ``CachePolicy`` allows.
    case cache(age: Duration)
    /// The request failed with this error, so the call returned a cached response of this age.
    case stale(age: Duration, because: IdentityError)
}
