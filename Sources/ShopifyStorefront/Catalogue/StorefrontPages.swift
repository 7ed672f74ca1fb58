internal import IdentityKit
public import ShopifyGraphQL

/// The pages of a list, one after the other, each asked for when it is needed.
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
/// It ends with the list. Shopify serves no more than 25,000 elements of one: behind these it throws, and does not pretend that
/// there are no more. A task that is cancelled asks for no further page.
public struct StorefrontPages<Operation: GraphQLOperation, Connection: StorefrontConnection>: AsyncSequence, Sendable {
    /// What an operation needs for one page.
    public struct Request: Sendable {
        /// How many elements, 1 to 250.
        public let size: Int
        /// Where the page before ended; nil for the first one.
        public let cursor: String?
    }

    /// The most elements of one page that Shopify serves.
    public static var maximumSize: Int { 250 }
    /// The most elements of one list that Shopify serves.
    public static var maximumDepth: Int { 25_000 }

    let client: StorefrontClient
    let size: Int
    let start: String?
    let context: StorefrontContext
    let cachePolicy: CachePolicy?
    let operation: @Sendable (Request) -> Operation
    let connection: @Sendable (Operation.Output) -> Connection?

    /// Begins with the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self, cursor: start)
    }

    /// Asks for one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let pages: StorefrontPages
        var cursor: String?
        private var count = 0
        private var requests = 0
        private var isAtEnd = false

        init(pages: StorefrontPages, cursor: String?) {
            self.pages = pages
            self.cursor = cursor
        }

        /// The next page; nil behind the last one, and where the list does not exist.
        ///
        /// - Throws: `IdentityError` as `StorefrontClient.execute` does; kind `IdentityError.Kind.rejected` where the list is longer
        ///   than Shopify serves, or its cursors lead nowhere.
        public mutating func next() async throws -> Connection? {
            guard !isAtEnd else { return nil }
            do { return try await page() } catch {
                isAtEnd = true
                throw error
            }
        }

        private mutating func page() async throws -> Connection? {
            try Task.checkCancellation()
            // A list of empty pages would have no end.
            guard count < StorefrontPages.maximumDepth, requests < StorefrontPages.maximumDepth else {
                throw Self.tooDeep
            }
            requests += 1
            let size = Swift.min(pages.size, StorefrontPages.maximumDepth - count)
            let operation = pages.operation(Request(size: size, cursor: cursor))
            let result = try await pages.client.execute(operation, in: pages.context, cachePolicy: pages.cachePolicy)
            guard let connection = pages.connection(result.data) else {
                isAtEnd = true
                return nil
            }
            count += connection.nodes.count
            guard connection.pageInfo.hasNextPage else {
                isAtEnd = true
                return connection
            }
            guard let end = connection.pageInfo.endCursor, end.utf8.elementsEqual((cursor ?? "").utf8) == false else {
                throw Self.astray
            }
            cursor = end
            return connection
        }

        private static var tooDeep: IdentityError {
            IdentityError(
                .rejected,
                .invalidRequest,
                "The list has more than \(StorefrontPages.maximumDepth) elements, and Shopify serves no more of one.",
                hint: "Narrow it down, for example by created_at in its query, and read it in parts."
            )
        }

        private static var astray: IdentityError {
            IdentityError(
                .rejected,
                .unexpectedResponse,
                "The Storefront API said that another page follows, and not where it begins.",
                hint: "Select endCursor beside hasNextPage, and pass the cursor on to the operation."
            )
        }
    }
}

extension StorefrontClient {
    /// The pages of a list.
    ///
    /// - Parameters:
    ///   - size: How many elements a page has, 1 to 250: what is less or more is set to these. 100 unless given.
    ///   - cursor: Behind which element to begin; with the first one unless given.
    ///   - context: For whom and where the calls are made.
    ///   - cachePolicy: Whether the cache may answer; as the client says unless given.
    ///   - operation: Makes the operation for a page.
    ///   - connection: Finds the list in what the operation answers; nil where there is none.
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
    /// - Parameters:
    ///   - query: Which products; all of them unless given.
    ///   - size: How many a page has, 1 to 250; 100 unless given.
    ///   - context: For whom and where the calls are made.
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
