package import IdentityKit

/// The position in a list that Shopify serves in pages.
package struct PagePosition: Sendable {
    /// The maximum number of elements of a list that Shopify serves.
    package static let maximumDepth = 25_000

    /// The cursor after which the next page begins; nil at the start of the list.
    package private(set) var cursor: String?
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

    /// Begins the next page's request, and returns the number of elements to request; throws after ``maximumDepth`` elements or requests.
    package mutating func beginRequest(size: Int) throws(IdentityError) -> Int {
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

    /// Moves the position to the end of a page with `count` elements, and returns whether another page follows.
    ///
    /// Throws if another page follows, and `endCursor` is missing, empty or the same as ``cursor``. With such a cursor, the next request
    /// would return a page that was already read.
    package mutating func advance(by count: Int, hasNextPage: Bool, endCursor: String?) throws(IdentityError) -> Bool {
        self.count += count
        guard hasNextPage else { return false }
        guard let endCursor, !endCursor.isEmpty, cursor?.isIdentical(to: endCursor) != true else {
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
        cursor = endCursor
        return true
    }
}
