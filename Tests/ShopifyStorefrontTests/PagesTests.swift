import IdentityHTTP
import IdentityKit
import IdentityLoopback
import ShopifyGraphQL
import ShopifyStorefront
import Synchronization
import TestGuides
import Testing

@Suite struct PagesTests {
    private static let image = "null"

    /// A page of a list that has `total` products, of which the first ones are sold out, or of a list that has no end.
    private static func page(
        _ variables: JSONObject,
        of total: Int,
        soldOut: Int = 0,
        endless: Bool = false
    ) -> LoopbackResponse {
        let first = variables["first"]?.number?.integer ?? 0
        let start = variables["after"]?.string.flatMap(Int.init) ?? 0
        let end = endless ? start + first : min(start + first, total)
        let nodes = (start..<end).map { product($0, isAvailable: $0 >= soldOut) }.joined(separator: ",")
        let info = #"{"hasNextPage":\#(end < total || endless),"endCursor":"\#(end)"}"#
        return .json(#"{"data":{"products":{"nodes":[\#(nodes)],"pageInfo":\#(info)}}}"#)
    }

    private static func product(_ number: Int, isAvailable: Bool = true) -> String {
        #"{"id":"\#(number)","handle":"h","title":"T","vendor":"V","productType":"","availableForSale":\#(isAvailable),"featuredImage":null,"priceRange":{"minVariantPrice":{"amount":"1.0","currencyCode":"EUR"},"maxVariantPrice":{"amount":"2.0","currencyCode":"EUR"}}}"#
    }

    @Test("all pages of a list are requested, each with the cursor of the page before")
    func pages() async throws {
        let fake = try await FakeStorefront.start { Self.page($0.variables, of: 5) }
        var ids: [String] = []
        for try await page in try fake.client().products(matching: .field(.tag, "x"), size: 2) {
            ids += page.nodes.map(\.id)
        }
        #expect(ids == ["0", "1", "2", "3", "4"])
        #expect(fake.calls.map { $0.variables["after"]?.string } == [nil, "2", "4"])
        #expect(fake.calls.allSatisfy { $0.variables["query"]?.string == "tag:x" })
    }

    @Test("a page is requested only when it is needed, and no page is requested after the loop ends")
    func lazy() async throws {
        let fake = try await FakeStorefront.start { Self.page($0.variables, of: 500) }
        for try await _ in try fake.client().products(size: 1_000) { break }
        #expect(fake.calls.map { $0.variables["first"]?.number?.integer } == [250])
        var small = try fake.client().products(size: -3).makeAsyncIterator()
        _ = try await small.next()
        #expect(fake.calls.last?.variables["first"]?.number?.integer == 1)
    }

    @Test("a list with more than 25,000 elements throws after them", .row("C3"))
    func depth() async throws {
        let fake = try await FakeStorefront.start { call in
            let start = call.variables["after"]?.string.flatMap(Int.init) ?? 0
            let first = call.variables["first"]?.number?.integer ?? 0
            // The fields of the elements do not matter here.
            let nodes = Array(repeating: Self.product(0), count: first).joined(separator: ",")
            return .json(
                #"{"data":{"products":{"nodes":[\#(nodes)],"pageInfo":{"hasNextPage":true,"endCursor":"\#(start + first)"}}}}"#
            )
        }
        var pages = try fake.client().products(size: 250).makeAsyncIterator()
        for _ in 0..<100 { #expect(try await pages.next()?.nodes.count == 250) }
        let error = await #expect(throws: IdentityError.self) { try await pages.next() }
        #expect(error?.kind == .rejected && error?.code == .invalidRequest && fake.calls.count == 100)
        #expect(try await pages.next() == nil)
    }

    @Test(
        "a page with a next page but a missing, empty or repeated cursor is an error",
        arguments: ["null", #""""#, #""1""#]
    )
    func astray(cursor: String) async throws {
        let fake = try await FakeStorefront.start { _ in
            .json(#"{"data":{"products":{"nodes":[],"pageInfo":{"hasNextPage":true,"endCursor":\#(cursor)}}}}"#)
        }
        let error = await #expect(throws: IdentityError.self) {
            for try await _ in try fake.client().products() {}
        }
        #expect(error?.code == .unexpectedResponse && fake.calls.count == (cursor == #""1""# ? 2 : 1))
    }

    @Test("a cancelled task requests no further page")
    func cancellation() async throws {
        let fake = try await FakeStorefront.start { Self.page($0.variables, of: 500) }
        let client = try fake.client()
        let task = Task {
            var pages = client.products(size: 1).makeAsyncIterator()
            _ = try await pages.next()
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try await pages.next()
        }
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(fake.calls.count == 1)
    }

    @Test("a list that is null in the response has no pages")
    func inside() async throws {
        let fake = try await FakeStorefront.start { _ in .json(#"{"data":{"product":null}}"#) }
        let pages = try fake.client().pages { page in
            ProductVariantsPage(id: "gid", first: page.size, after: .setIfPresent(page.cursor))
        } reading: {
            $0?.variants
        }
        for try await _ in pages { Issue.record("A list that is null returned a page.") }
        #expect(fake.calls.count == 1)
    }

    @Test("a list that is null because of an error throws this error")
    func errorInsteadOfList() async throws {
        let fake = try await FakeStorefront.start { _ in
            let error = #"{"message":"x","path":["products"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}"#
            return .json(#"{"data":{"shop":{"name":"Mugs"},"products":null},"errors":[\#(error)]}"#)
        }
        var pages = try fake.client().pages { _ in
            Probe<Shared>()
        } reading: { _ in
            ProductsConnection?.none
        }.makeAsyncIterator()
        let error = await #expect(throws: IdentityError.self) { try await pages.next() }
        #expect(error?.code == .providerUnavailable)
        #expect(try await pages.next() == nil)
    }

    @Test(
        "the search for an available variant reads all pages, and later products if an available product has no such variant",
        arguments: [(0, 3, [nil, "0", "1", "2"]), (250, 252, [nil, nil, "250", "251"]), (2, 2, [nil])]
    )
    func firstVariant(soldOut: Int, total: Int, ids: [String?]) async throws {
        let fake = try await FakeStorefront.start { call in
            call.document.contains("query ProductsPage(")
                ? Self.page(call.variables, of: total, soldOut: soldOut) : .json(#"{"data":{"product":null}}"#)
        }
        let error = await #expect(throws: IdentityError.self) {
            try await fake.client().firstAvailableVariant(in: StorefrontContext())
        }
        #expect(error?.kind == .configuration)
        #expect(fake.calls.map { $0.variables["id"]?.string } == ids)
    }

    @Test("nodes are distinguished by their types, and an unknown type is not an error", .row("B6"))
    func nodes() async throws {
        let fake = try await FakeStorefront.start { _ in
            .json(
                #"{"data":{"nodes":[{"__typename":"Product",\#(Self.product(7).dropFirst()),null,{"__typename":"Spaceship","id":"s"}]}}"#
            )
        }
        let nodes = try await fake.client().execute(NodesByID(ids: ["7", "8", "s"])).data
        guard case .product(let card) = nodes[0]?.concrete, case .other("Spaceship") = nodes[2]?.concrete else {
            Issue.record("The nodes are not a product, null and an unknown type: \(nodes)")
            return
        }
        #expect(card.id == "7" && nodes[1] == nil && nodes[2]?.id == "s")
    }
}
