/// A list that Shopify returns in pages.
///
/// Each page is requested when it is needed.
///
/// ```swift
/// for try await page in account.orders() { show(page) }
/// ```
public struct CustomerPages<Element: Sendable>: AsyncSequence, Sendable {
    /// A page and the cursor at its end, if there are more.
    struct Page: Sendable {
        let elements: [Element]
        let next: String?
    }

    let fetch: @Sendable (_ after: String?) async throws -> Page

    /// Iterates over the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let fetch: @Sendable (_ after: String?) async throws -> Page
        private(set) var cursor: String?
        private(set) var isAtEnd = false

        /// The next page; nil after the last.
        ///
        /// - Throws: `IdentityError`. After an error, the next call requests the same page again.
        public mutating func next() async throws -> [Element]? {
            guard !isAtEnd else { return nil }
            let page = try await fetch(cursor)
            // If Shopify returned the same cursor again, the iteration would never end.
            isAtEnd = page.next == nil || page.next == cursor
            cursor = page.next
            return page.elements
        }
    }

    /// Starts at the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(fetch: fetch)
    }
}
