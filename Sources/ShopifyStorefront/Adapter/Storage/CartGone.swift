internal import ShopifyGraphQL

/// Thrown in the adapter when Shopify no longer has an operation's cart.
///
/// ``CartOperation`` catches it and removes the cart from the session's attachment.
struct CartGone: Error {
    /// The metadata of the response that shows that Shopify no longer has the cart.
    let metadata: GraphQLMetadata

    init(_ metadata: GraphQLMetadata) { self.metadata = metadata }
}
