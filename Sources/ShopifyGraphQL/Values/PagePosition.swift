internal import IdentityKit

/// The position in a list that Shopify serves in pages.
package struct PagePosition: Sendable {
    /// The maximum number of elements of a list that Shopify serves.
    package static let maximumDepth = 25_000

    /// The cursor after which the next page begins; nil at the start of the list.
    private var cursor: String?
    private var isAtEnd = false
    private var count = 0
    private var requests = 0
    /// The name of the API in the references of errors.
    private let api: String
    private let tooLongHint: String

    package init(after cursor: String? = nil, api: String, tooLongHint: String) {
        self.cursor = cursor
        self.api = api
        self.tooLongHint = tooLongHint
    }

    /// Returns the next page; nil after the last page, after an error, and when `fetch` returns nil, because the list does not exist.
    ///
    /// `fetch` gets the number of elements to request and the cursor, and returns the page, its number of elements, and its `PageInfo`.
    package mutating func next<Page>(
        size: Int,
        _ fetch: (Int, String?) async throws -> (page: Page, count: Int, hasNextPage: Bool, endCursor: String?)?
    ) async throws -> Page? {
        guard !isAtEnd else { return nil }
        isAtEnd = true
        guard let next = try await fetch(beginRequest(size: size), cursor) else { return nil }
        count += next.count
        guard next.hasNextPage else { return next.page }
        // With the same cursor again, or without one, the next request would return a page that was already read.
        guard let endCursor = next.endCursor, !endCursor.isEmpty, cursor?.isIdentical(to: endCursor) != true else {
            throw IdentityError(
                .rejected,
                .unexpectedResponse,
                "The page has hasNextPage = true, but its endCursor is missing, empty, or equal to the cursor in the request.",
                hint:
                    "Read the list again. In a document of your own, select endCursor together with hasNextPage, and pass the cursor "
                    + "to the operation.",
                reference: "\(api) reference, PageInfo"
            )
        }
        (cursor, isAtEnd) = (endCursor, false)
        return next.page
    }

    /// Begins the next page's request, and returns the number of elements to request; throws after ``maximumDepth`` elements or requests.
    private mutating func beginRequest(size: Int) throws(IdentityError) -> Int {
        // Without the limit of requests, a list whose pages are all empty would never end.
        guard count < Self.maximumDepth, requests < Self.maximumDepth else {
            throw IdentityError(
                .rejected,
                .invalidRequest,
                count < Self.maximumDepth
                    ? "The list did not end after \(Self.maximumDepth) pages."
                    : "The list has more than \(Self.maximumDepth) elements, the maximum that Shopify serves.",
                hint: tooLongHint,
                reference: "\(api) reference, pagination"
            )
        }
        requests += 1
        return min(size, Self.maximumDepth - count)
    }
}
