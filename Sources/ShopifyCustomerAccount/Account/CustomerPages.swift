internal import ShopifyGraphQL

/// A list that Shopify returns in pages; a page is requested when the iteration reaches it.
///
/// ```swift
/// for try await page in account.orders() { show(page) }
/// ```
///
/// Shopify serves at most 25,000 elements of a list. If the list is longer, the iteration throws after these elements.
public struct CustomerPages<Element: Sendable>: AsyncSequence, Sendable {
    struct Page: Sendable {
        let elements: [Element]
        let info: CustomerPage
    }

    let size: Int
    let fetch: @Sendable (_ size: Int, _ after: String?) async throws -> Page

    /// Iterates over the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let pages: CustomerPages
        fileprivate var position = PagePosition(
            api: "Customer Account API",
            tooLongHint:
                "Read the list in parts. For orders, pass conditions on processed_at to orders(pageSize:matching:)."
        )

        /// The next page; nil after the last.
        ///
        /// - Throws: `IdentityError`; with code `IdentityError.Code.unexpectedResponse` when Shopify announces another page, but the
        ///   `endCursor` of this page is missing, empty or the same as that of the page before; with code
        ///   `IdentityError.Code.invalidRequest` when the list is longer than Shopify serves. After an error, the next call returns nil.
        public mutating func next() async throws -> [Element]? {
            try await position.next(size: pages.size) { [pages] size, cursor in
                let page = try await pages.fetch(size, cursor)
                return (page.elements, page.elements.count, page.info.hasNextPage, page.info.endCursor)
            }
        }
    }

    /// Starts at the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages: self)
    }
}
