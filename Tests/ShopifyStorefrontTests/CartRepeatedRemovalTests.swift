import IdentityKit
import IdentitySandbox
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

/// Removals that are repeated after a lost response, when the first request has removed everything.
@Suite struct CartRepeatedRemovalTests {
    private let addresses = ["1 Way", "2 Way"].map { line in
        var address = PostalAddress()
        address.line1 = line
        address.countryCode = "US"
        return CartSelectableAddressInput(address, isSelected: false)
    }

    @Test("delivery addresses that no longer exist count as removed")
    func repeatedRemoval() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.create(shop.mugs(), for: session, in: shop.context)
        let cart = try await shop.carts.addDeliveryAddresses(addresses, for: session, in: shop.context).cart
        let ids = cart.deliveryAddressIDs
        for removed in [Array(ids.prefix(1)), ids, ids] {
            _ = try await shop.carts.removeDeliveryAddresses(removed, for: session, in: shop.context)
            #expect(try shop.state(cart).addresses.count == ids.count - removed.count)
        }
    }

    @Test("a detach succeeds if its request to remove the addresses finds that they are already removed")
    func repeatedDetach() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.create(shop.mugs(), for: session, in: shop.context)
        let cart = try await shop.carts.addDeliveryAddresses(addresses, for: session, in: shop.context).cart
        let other = try await shop.process()
        shop.storefront.planFault(.before {}, on: .storefront)
        shop.storefront.planFault(
            .before { _ = try? await other.carts.removeAllDeliveryAddresses(for: session) },
            on: .storefront
        )
        let detached = try await shop.carts.detach(from: session, in: shop.context)
        #expect(shop.count("cartDeliveryAddressesRemove") == 1)
        #expect(detached.identity == .guest && detached.cart.deliveryAddressIDs.isEmpty)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }
}
