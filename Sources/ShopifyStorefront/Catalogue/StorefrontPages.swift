internal import IdentityKit
public import ShopifyGraphQL

/// The pages of a list; each page is requested when it is needed.
///
/// ```swift
/// let pages = storefront.pages { page in
///     ProductsPage(first: page.size, after: .setIfPresent(page.cursor))
/// } reading: { $0 }
/// for try await page in pages {
///     for product in page.nodes { print(product.title) }
/// }
/// ```
///
/// Shopify serves at most 25,000 elements of a list. If the list is longer, the sequence throws after these elements. After a cancellation
/// of the task, no further page is requested.
public struct StorefrontPages<Operation: GraphQLOperation, Connection: StorefrontConnection>: AsyncSequence, Sendable {
    /// The parameters of one page.
    public struct Request: Sendable {
        /// The number of elements, 1 to 250.
        public let size: Int
        /// The cursor after which the page begins, such as the end cursor of the previous page; nil at the start of the list.
        public let cursor: String?
    }

    /// The maximum number of elements of a page.
    public static var maximumSize: Int { 250 }
    /// The maximum number of elements of a list that Shopify serves.
    public static var maximumDepth: Int { PagePosition.maximumDepth }

    let client: StorefrontClient
    let size: Int
    let start: String?
    let context: StorefrontContext
    let cachePolicy: CachePolicy?
    let operation: @Sendable (Request) -> Operation
    let connection: @Sendable (Operation.Output) -> Connection?

    /// Creates an iterator that starts after the cursor of the sequence, or at the first page.
    public func makeAsyncIterator() -> Iterator {
        let hint = "Read the list in parts: if the list has the argument `query`, pass conditions on created_at in it."
        return Iterator(
            pages: self,
            position: PagePosition(after: start, api: "Storefront API", tooLongHint: hint)
        )
    }

    /// Requests one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let pages: StorefrontPages
        fileprivate var position: PagePosition

        /// Requests the next page; nil after the last page, and when the list does not exist.
        ///
        /// - Throws: `CancellationError` if the task was cancelled before the request. `IdentityError` in the same cases as
        ///   `StorefrontClient.execute`, and when the response has errors instead of the list. `IdentityError` with kind
        ///   `IdentityError.Kind.rejected` when the list is longer than Shopify serves, or a cursor is missing or does not advance. After
        ///   an error, the next call returns nil.
        public mutating func next() async throws -> Connection? {
            try await position.next(size: pages.size) { [pages] size, cursor in
                try Task.checkCancellation()
                let operation = pages.operation(Request(size: size, cursor: cursor))
                let result = try await pages.client.execute(
                    operation,
                    in: pages.context,
                    cachePolicy: pages.cachePolicy
                )
                guard let connection = pages.connection(result.data) else {
                    // If the response has errors, the list may exist, and a nil would make the sequence look complete.
                    guard result.errors.isEmpty else { throw pages.client.failure(of: result, Operation.document) }
                    return nil
                }
                let info = connection.pageInfo
                return (connection, connection.nodes.count, info.hasNextPage, info.endCursor)
            }
        }
    }
}

extension StorefrontClient {
    /// Returns the pages of a list.
    ///
    /// - Parameters:
    ///   - size: The number of elements of a page. Values outside of 1 to 250 are clamped.
    ///   - cursor: The cursor of the element after which to start; nil starts at the first element.
    ///   - context: Values that override the client's context.
    ///   - cachePolicy: Whether the cache may be used; nil uses the client's policy.
    ///   - operation: Creates the operation for a page.
    ///   - connection: The list in the operation's result; nil if the result has no list.
    /// - Returns: The pages.
    public func pages<Operation: GraphQLOperation, Connection: StorefrontConnection>(
        size: Int = 100,
        after cursor: String? = nil,
        in context: StorefrontContext = StorefrontContext(),
        cachePolicy: CachePolicy? = nil,
        _ operation: @escaping @Sendable (StorefrontPages<Operation, Connection>.Request) -> Operation,
        reading connection: @escaping @Sendable (Operation.Output) -> Connection?
    ) -> StorefrontPages<Operation, Connection> {
        StorefrontPages(
            client: self,
            size: min(max(1, size), StorefrontPages<Operation, Connection>.maximumSize),
            start: cursor,
            context: context,
            cachePolicy: cachePolicy,
            operation: operation,
            connection: connection
        )
    }

    /// The pages of the shop's products.
    ///
    /// `size` is the number of products of a page, and is clamped to 1 to 250. Without a query, the pages have all products.
    public func products(
        matching query: SearchQuery? = nil,
        size: Int = 100,
        in context: StorefrontContext = StorefrontContext()
    ) -> StorefrontPages<ProductsPage, ProductsConnection> {
        pages(size: size, in: context) { page in
            ProductsPage(first: page.size, after: .setIfPresent(page.cursor), query: .setIfPresent(query))
        } reading: {
            $0
        }
    }
}
