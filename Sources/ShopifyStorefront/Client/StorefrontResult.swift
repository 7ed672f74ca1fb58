public import ShopifyGraphQL

/// The data of an answer with what came beside them.
public struct StorefrontResult<Output: Sendable>: Sendable {
    /// The data.
    public let data: Output
    /// Errors that left parts of the data null, such as a scope that the token has not.
    public let errors: [GraphQLError]
    /// What the headers told.
    public let metadata: StorefrontMetadata
}

/// An answer that may have data, errors or both.
public struct PartialStorefrontResult<Output: Sendable>: Sendable {
    /// The data; nil where the answer has none, or where they cannot be read and ``errors`` tells why.
    public let data: Output?
    /// The errors.
    public let errors: [GraphQLError]
    /// What the headers told.
    public let metadata: StorefrontMetadata
}

/// What the headers of an answer told.
public struct StorefrontMetadata: Sendable, Equatable {
    /// The HTTP status.
    public let status: Int
    /// Shopify's id of the request, for its support (`X-Request-Id`).
    public let requestID: String?
    /// The version that answered (`X-Shopify-API-Version`); another than the one asked for when that has left.
    public let servedVersion: StorefrontAPIVersion?
    /// Why the request will stop working (`X-Shopify-API-Deprecated-Reason`).
    public let deprecatedReason: String?
}
