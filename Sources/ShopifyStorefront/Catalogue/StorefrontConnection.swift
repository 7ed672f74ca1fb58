/// A page of a list in GraphQL: `nodes` and `pageInfo`.
///
/// A generated type with the members `nodes` and `pageInfo` can declare conformance.
public protocol StorefrontConnection: Sendable {
    /// The type of the elements.
    associatedtype Node: Sendable

    /// The elements of the page.
    var nodes: [Node] { get }
    /// The page's end cursor, and whether another page follows.
    var pageInfo: StorefrontPageInfo { get }
}

extension ProductsConnection: StorefrontConnection {}
extension CollectionsPage.Collections: StorefrontConnection {}
extension ProductVariantsPage.Product.Variants: StorefrontConnection {}
extension SearchPage.Search: StorefrontConnection {}
extension CollectionProducts.Collection.Products: StorefrontConnection {
    /// The products.
    public var nodes: [ProductCard] { productsConnection.nodes }
    /// The page's end cursor, and whether another page follows.
    public var pageInfo: StorefrontPageInfo { productsConnection.pageInfo }
}
