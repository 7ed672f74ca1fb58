public import ShopifyGraphQL

/// The data of an answer with what came beside them.
public typealias StorefrontResult<Output: Sendable> = GraphQLResult<Output>

/// An answer that may have data, errors or both.
public typealias PartialStorefrontResult<Output: Sendable> = PartialGraphQLResult<Output>

/// A version of the Storefront API.
public typealias StorefrontAPIVersion = ShopifyAPIVersion
