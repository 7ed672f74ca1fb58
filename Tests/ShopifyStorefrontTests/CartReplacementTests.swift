import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

/// A cart that takes the place of another one, and a failure on the way.
@Suite struct CartReplacementTests {
    @Test("if a guest's cart vanishes while a session adopts it, the session keeps its own cart with the buyer")
    func vanishedSource() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let own = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let guest = try await shop.sessions.beginGuest().id
        let gone = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context).cart.id.rawValue
        shop.storefront.planFault(
            .before { [storefront = shop.storefront] in
                guard let body = storefront.requests.last?.bodyText, body.contains("cartBuyerIdentityUpdate("),
                    body.contains(gone.suffix(32))
                else { return }
                storefront.removeCart(gone)
            },
            on: .storefront,
            times: .max
        )
        // The fault keeps the shop, which keeps the fault.
        defer { shop.storefront.removeAllFaults() }
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: session, merge: .keepGuest, in: shop.context)
        #expect(merge.outcome == .nothingToMerge && merge.guest == nil)
        #expect(merge.cart?.cart.id == own.id && merge.cart?.problem == nil)
        #expect(try shop.state(own).customerAccessToken != nil)
        #expect(shop.events.kinds == [.gone])
    }
}
