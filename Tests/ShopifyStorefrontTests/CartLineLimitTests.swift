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
}
