internal import IdentityKit

/// A list that Shopify returns in pages.
///
/// A page is requested when the iteration reaches it.
///
/// ```swift
/// for try await page in account.orders() { show(page) }
/// ```
public struct CustomerPages<Element: Sendable>: AsyncSequence, Sendable {
    /// A page, and whether there are more after its end.
    struct Page: Sendable {
        let elements: [Element]
        let info: CustomerPage
    }

    let fetch: @Sendable (_ after: String?) async throws -> Page

    /// Iterates over the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let fetch: @Sendable (_ after: String?) async throws -> Page
        private(set) var cursor: String?
        private(set) var isAtEnd = false

        /// The next page; nil after the last.
        ///
        /// - Throws: `IdentityError`; with code `IdentityError.Code.unexpectedResponse` when there are more pages, but `endCursor` of this
        ///   page is missing or equals that of the page before. After an error, the next call returns nil.
        public mutating func next() async throws -> [Element]? {
            guard !isAtEnd else { return nil }
            do { return try await page() } catch {
                isAtEnd = true
                throw error
            }
        }

        private mutating func page() async throws -> [Element] {
            let page = try await fetch(cursor)
            guard page.info.hasNextPage else {
                isAtEnd = true
                return page.elements
            }
            // With the cursor of the page before, or without a cursor, the iteration could not reach the following pages.
            guard let end = page.info.endCursor, cursor?.utf8.elementsEqual(end.utf8) != true else {
                throw IdentityError(
                    .rejected,
                    .unexpectedResponse,
                    "Shopify returned a page with hasNextPage = true, but its endCursor is missing or equals that of the page before.",
                    hint: "Read the list again from its start.",
                    reference: "Customer Account API reference, PageInfo"
                )
            }
            cursor = end
            return page.elements
        }
    }

    /// Starts at the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(fetch: fetch)
    }
}
