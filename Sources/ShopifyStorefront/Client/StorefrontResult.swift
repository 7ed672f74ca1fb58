public import ShopifyGraphQL

/// The data of a response, with its errors and metadata.
public typealias StorefrontResult<Output: Sendable> = GraphQLResult<Output>

/// A response that may have data, errors or both.
public typealias PartialStorefrontResult<Output: Sendable> = PartialGraphQLResult<Output>
