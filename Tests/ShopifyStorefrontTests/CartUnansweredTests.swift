import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

/// A cart that has the buyer although the response to the identity update was lost, and later operations on it.
@Suite struct CartUnansweredTests {
    @Test("a gift card that a guest adds after an interrupted merge does not hide that the buyer is on the cart")
    func guest() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let (guest, cart) = try await shop.guestWithMug()
        try await shop.interruptMerge(of: guest, into: session)
        shop.clock.advance(by: .seconds(600))
        try await shop.addGiftCard(to: guest, losingResponse: false)
        #expect(try shop.state(cart).customerAccessToken != nil)
        _ = try await shop.carts.checkout(for: guest, in: shop.context)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }

    @Test(
        "the buyer is removed from a replaced cart, also after a later rejection or a second lost response",
        arguments: [true, false]
    )
    func replaced(isRejected: Bool) async throws {
        let shop = try await SandboxShop()
        let cart = try await shop.guestWithMug().cart
        let session = try await shop.login()
        _ = try await shop.carts.adopt(cart.id, for: session, isTrusted: true, in: shop.context)
        shop.loseResponses(of: "cartBuyerIdentityUpdate")
        await #expect(throws: IdentityError.self) { try await shop.carts.attach(to: session, in: shop.context) }
        shop.storefront.removeAllFaults()
        if isRejected {
            shop.clock.advance(by: .seconds(600))
            // Shopify refuses the token before the refresh and the token after the refresh.
            shop.storefront.refuseNext(code: "INVALID", field: ["buyerIdentity", "customerAccessToken"], times: 2)
            let problem = try await shop.carts.attach(to: session, in: shop.context).problem
            #expect(problem?.code == .identityRejected)
        } else {
            try await shop.addGiftCard(to: session, losingResponse: true)
        }
        #expect(try shop.state(cart).customerAccessToken != nil)
        _ = try await shop.carts.create(shop.mugs(), for: session, in: shop.context)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }
}
