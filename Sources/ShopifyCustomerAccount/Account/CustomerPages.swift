internal import IdentityKit

/// A list that Shopify returns in pages.
///
/// A page is requested when the iteration reaches it.
///
/// ```swift
/// for try await page in account.orders() { show(page) }
/// ```
///
/// Shopify serves at most 25,000 elements of a list. If the list is longer, the iteration throws after these elements.
public struct CustomerPages<Element: Sendable>: AsyncSequence, Sendable {
    /// The elements of a page, and where the next page begins.
    struct Page: Sendable {
        let elements: [Element]
        let info: CustomerPage
    }

    /// The maximum number of elements of a list that Shopify serves.
    static var maximumDepth: Int { 25_000 }

    /// The number of elements of a page.
    let size: Int
    let fetch: @Sendable (_ size: Int, _ after: String?) async throws -> Page

    /// Iterates over the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let pages: CustomerPages
        private(set) var cursor: String?
        private(set) var count = 0
        private(set) var requests = 0
        private(set) var isAtEnd = false

        /// The next page; nil after the last.
        ///
        /// - Throws: `IdentityError`; with code `IdentityError.Code.unexpectedResponse` when there are more pages, but `endCursor` of this
        ///   page is missing or equals that of the page before; with code `IdentityError.Code.invalidRequest` when the list is longer than
        ///   Shopify serves. After an error, the next call returns nil.
        public mutating func next() async throws -> [Element]? {
            guard !isAtEnd else { return nil }
            do { return try await page() } catch {
                isAtEnd = true
                throw error
            }
        }

        private mutating func page() async throws -> [Element] {
            // The limit of requests ends the iteration even if Shopify always returns an empty page and announces another one.
            guard count < CustomerPages.maximumDepth, requests < CustomerPages.maximumDepth else {
                throw Self.tooLong(count)
            }
            requests += 1
            let page = try await pages.fetch(Swift.min(pages.size, CustomerPages.maximumDepth - count), cursor)
            count += page.elements.count
            guard page.info.hasNextPage else {
                isAtEnd = true
                return page.elements
            }
            // Without a cursor, or with the cursor of the page before, the next request would return a page that was already read.
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

        private static func tooLong(_ count: Int) -> IdentityError {
            IdentityError(
                .rejected,
                .invalidRequest,
                count < CustomerPages.maximumDepth
                    ? "The list did not end after \(CustomerPages.maximumDepth) pages."
                    : "The list has more than \(CustomerPages.maximumDepth) elements, the maximum that Shopify serves.",
                hint:
                    "Read the list in parts. For orders, pass conditions on processed_at to orders(pageSize:matching:).",
                reference: "Customer Account API reference, pagination"
            )
        }
    }

    /// Starts at the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages: self)
    }
}
