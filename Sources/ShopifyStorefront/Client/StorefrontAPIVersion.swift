public import ShopifyGraphQL

/// A version of the Storefront API.
public typealias StorefrontAPIVersion = ShopifyAPIVersion
