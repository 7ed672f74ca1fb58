import IdentityKit
import ShopifyGraphQL
import Testing

@testable import ShopifyStorefront

@Suite struct CartBindingTests {
    @Test("a stored cart has the notes of its eight latest merges, one for each cart")
    func mergeNotes() throws {
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/guest"))
        let session = try #require(SessionID(rawValue: String(repeating: "A", count: 22)))
        var binding = CartBinding(cartID: id)
        for number in (1...9).map(String.init) + ["9"] {
            let cart = try #require(CartID(rawValue: "gid://shopify/Cart/" + number))
            let line = CartLineInput(merchandiseID: number, quantity: 2)
            binding.record(CartBinding.Merge(session: session, cartID: cart, lines: [line]))
        }
        let stored = try #require(try StoredCart(binding.payload).binding)
        #expect(stored.merges.map { $0.lines.map(\.merchandiseID) } == (2...9).map { [String($0)] })
        let known = try #require(CartID(rawValue: "gid://shopify/Cart/3"))
        let unknown = try #require(CartID(rawValue: "gid://shopify/Cart/1"))
        #expect(stored.merge(into: known, of: session)?.cartID == known)
        #expect(stored.merge(into: unknown, of: session)?.lines.first?.merchandiseID == "9")
    }
}
