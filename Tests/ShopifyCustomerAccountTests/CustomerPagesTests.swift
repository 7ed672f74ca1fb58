import IdentityKit
import IdentitySandbox
import ShopifyCustomerAccount
import StorefrontSandbox
import Testing

/// Lists in pages whose cursors no correct shop returns.
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
