/// A page of a list, as GraphQL answers it: `nodes` and `pageInfo`.
///
/// Generated types that select both conform by declaring it.
public protocol StorefrontConnection: Sendable {
    /// What the list consists of.
    associatedtype Node: Sendable

    /// The page's part of the list.
    var nodes: [Node] { get }
    /// Where the page ends, and whether another one follows.
    var pageInfo: StorefrontPageInfo { get }
}

extension ProductsConnection: StorefrontConnection {}
extension CollectionsPage.Collections: StorefrontConnection {}
extension CollectionProducts.Collection.Products: StorefrontConnection {
    /// The products.
    public var nodes: [ProductCard] { productsConnection.nodes }
    /// Where the page ends.
    public var pageInfo: StorefrontPageInfo { productsConnection.pageInfo }
}
extension ProductVariantsPage.Product.Variants: StorefrontConnection {}
extension SearchPage.Search: StorefrontConnection {}
