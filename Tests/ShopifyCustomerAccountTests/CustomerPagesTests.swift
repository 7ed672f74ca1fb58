import IdentityKit
import IdentitySandbox
import ShopifyGraphQL
import StorefrontSandbox
import Testing

@testable import ShopifyCustomerAccount

/// Lists in pages that no correct shop returns.
@Suite struct CustomerPagesTests {
    @Test(
        "a page with hasNextPage but without a cursor, or with the cursor of the page before it, is an error",
        arguments: [nil, "same"]
    )
    func invalidCursor(cursor: String?) async throws {
        try await Shop.with { shop in
            shop.sandbox.shopify.planFault(
                .editJSON { object in
                    object["data"] = object["data"].map { Self.withMore($0, after: cursor) }
                },
                on: .api,
                times: .max
            )
            let addresses = await #expect(throws: IdentityError.self) {
                for try await _ in shop.account.addresses() {}
            }
            let orders = await #expect(throws: IdentityError.self) { for try await _ in shop.account.orders() {} }
            #expect(addresses?.code == .unexpectedResponse && orders?.code == .unexpectedResponse)
            let count = cursor == nil ? 1 : 2
            #expect(shop.sandbox.shopify.requests(to: .api).count == 2 * count)
        }
    }

    @Test("after an error, the pages end and no further page is requested")
    func endAfterError() async throws {
        try await Shop.with { shop in
            shop.sandbox.shopify.planFault(.status(503), on: .api)
            var pages = shop.account.orders().makeAsyncIterator()
            await #expect(throws: IdentityError.self) { _ = try await pages.next() }
            let next = try await pages.next()
            #expect(next == nil)
            #expect(shop.sandbox.shopify.requests(to: .api).count == 1)
        }
    }

    @Test("a list with more than 25,000 elements throws after them")
    func depth() async throws {
        var pages = Self.endless(size: 240) { Array(repeating: 0, count: $0) }.makeAsyncIterator()
        var count = 0
        for _ in 0..<105 { count += try await pages.next()?.count ?? 0 }
        #expect(count == 25_000)
        let error = await #expect(throws: IdentityError.self) { try await pages.next() }
        #expect(error?.kind == .rejected && error?.code == .invalidRequest)
        #expect(error?.message == "The list has more than 25000 elements, the maximum that Shopify serves.")
        #expect(try await pages.next() == nil)
    }

    @Test("a list of empty pages throws after 25,000 pages")
    func emptyPages() async throws {
        var pages = Self.endless(size: 50) { _ in [] }.makeAsyncIterator()
        for _ in 0..<25_000 { _ = try await pages.next() }
        let error = await #expect(throws: IdentityError.self) { try await pages.next() }
        #expect(error?.kind == .rejected && error?.code == .invalidRequest)
        #expect(error?.message == "The list did not end after 25000 pages.")
        #expect(try await pages.next() == nil)
    }

    /// Pages of which each has a next page and another cursor.
    private static func endless(
        size: Int,
        elements: @escaping @Sendable (_ size: Int) -> [Int]
    ) -> CustomerPages<Int> {
        CustomerPages<Int>(size: size) { size, cursor in
            let end = (cursor.flatMap { Int($0) } ?? 0) + 1
            let info = try GraphQLNode(parsing: Array(#"{"hasNextPage":true,"endCursor":"\#(end)"}"#.utf8))
            return CustomerPages<Int>.Page(elements: elements(size), info: try CustomerPage(info))
        }
    }

    /// The data with `hasNextPage` and this cursor in each `pageInfo`.
    private static func withMore(_ value: JSONValue, after cursor: String?) -> JSONValue {
        guard var object = value.object else { return value }
        for member in object.members {
            object[member.name] = withMore(member.value, after: cursor)
            guard member.name == "pageInfo" else { continue }
            object[member.name] = .object([
                "hasNextPage": .bool(true), "endCursor": cursor.map { .string($0) } ?? .null,
            ])
        }
        return .object(object)
    }
}
