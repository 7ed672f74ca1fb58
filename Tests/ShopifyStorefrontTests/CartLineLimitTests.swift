import IdentityKit
import IdentityLoopback
import ShopifyGraphQL
import ShopifyStorefront
import Testing

/// Quantities and pages of lines that no correct shop returns.
@Suite struct CartLineLimitTests {
    @Test("a quantity of more than 32 bits in a response is an error, also if equal lines have it")
    func largeQuantity() async throws {
        for (quantity, count) in [("2147483648", 1), ("9223372036854775807", 2)] {
            let shop = try await TestShop(.none) {
                .payload($0.field, cart: .cart(lines: Array(repeating: .line(quantity: quantity), count: count)))
            }
            let error = await #expect(throws: IdentityError.self) {
                try await shop.carts.add(TestShop.lines, for: shop.session)
            }
            #expect(error?.code == .unexpectedResponse)
        }
    }

    @Test("an addition of very many items whose response is lost has an unknown outcome")
    func largeAddition() async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        let line = CartLineInput(merchandiseID: "v1", quantity: .max)
        _ = try await shop.carts.add(TestShop.lines, for: shop.session)
        shop.storefront.now { call in
            call.field == "cart" ? .json(#"{"data":{"cart":\#(String.cart())}}"#) : .script([.reset])
        }
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add([line, line], for: shop.session)
        }
        #expect(error?.code == .outcomeUnknown)
    }

    @Test(
        "a page of lines whose cursor is missing or repeated is an error, and not the end of the lines",
        arguments: ["null", #""start""#]
    )
    func invalidCursor(cursor: String) async throws {
        let shop = try await TestShop(.none) { Self.page(of: $0, lines: 1, cursor: cursor) }
        _ = try await shop.carts.create(for: shop.session)
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.lines(for: shop.session) }
        #expect(error?.code == .unexpectedResponse)
    }

    @Test("a cart whose first page has no cursor, although there are more lines, is an error")
    func missingFirstCursor() async throws {
        let shop = try await TestShop(.none) { Self.page(of: $0, lines: 1, cursor: "null", first: "null") }
        _ = try await shop.carts.create(for: shop.session)
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.lines(for: shop.session) }
        #expect(error?.code == .unexpectedResponse)
    }

    @Test("reading the lines of a cart ends, even if each page has more lines or none", .timeLimit(.minutes(10)))
    func endlessLines() async throws {
        for count in [0, 250] {
            let shop = try await TestShop(.none) { call in
                let after = call.variables["after"]?.string ?? ""
                return Self.page(of: call, lines: count, cursor: #""\#(after)x""#)
            }
            _ = try await shop.carts.create(for: shop.session)
            let error = await #expect(throws: IdentityError.self) { try await shop.carts.lines(for: shop.session) }
            #expect(error?.code == .unexpectedResponse)
            #expect(shop.storefront.calls.count <= 103)
        }
    }

    /// A response with a page of lines, after which there are more.
    private static func page(
        of call: FakeStorefront.Call,
        lines: Int,
        cursor: String,
        first: String = #""start""#
    ) -> LoopbackResponse {
        guard call.variables["after"] != nil else {
            let cart = String.cart(pageInfo: #"{"hasNextPage":true,"endCursor":\#(first)}"#)
            return call.field == "cart" ? .json(#"{"data":{"cart":\#(cart)}}"#) : .payload(call.field, cart: cart)
        }
        let nodes = Array(repeating: String.line(), count: lines).joined(separator: ",")
        let page = #"{"nodes":[\#(nodes)],"pageInfo":{"hasNextPage":true,"endCursor":\#(cursor)}}"#
        return .json(#"{"data":{"cart":{"lines":\#(page)}}}"#)
    }
}
