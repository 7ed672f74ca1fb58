import IdentityKit
import IdentitySandbox
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Synchronization
import Testing

/// A logout that hands the cart to a guest, while another session of the buyer takes the cart over in another process.
@Suite struct CartHandOverRaceTests {
    @Test(
        "the buyer's other session and the next guest never have the same cart",
        arguments: [true, false]
    )
    func takeoverDuringHandOver(startsWithLogout: Bool) async throws {
        let shop = try await SandboxShop()
        let context = shop.context
        let (session, device) = (try await shop.login(), try await shop.login())
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.add(shop.mugs(), for: guest, in: context)
        let other = try await shop.process()
        let visitor: SessionID?
        if startsWithLogout {
            // The other session takes the cart over before Shopify gets the first request of the logout.
            shop.storefront.planFault(
                .before {
                    _ = try? await other.carts.mergeGuestCart(
                        of: guest,
                        into: device,
                        merge: .intoCustomerCart,
                        in: context
                    )
                },
                on: .storefront
            )
            visitor = try await shop.carts.logout(session, mode: .detach, in: context).guest
            #expect(try await shop.carts.read(for: device, in: context)?.cart.id == cart.id)
        } else {
            // The logout runs while the other session reads the cart that it takes over.
            let end = Mutex<SessionID?>(nil)
            shop.storefront.planFault(.before {}, on: .storefront)
            shop.storefront.planFault(
                .before {
                    let result = try? await other.carts.logout(session, mode: .detach, in: context)
                    end.withLock { $0 = result?.guest }
                },
                on: .storefront
            )
            let merge = try await shop.carts.mergeGuestCart(
                of: guest,
                into: device,
                merge: .intoCustomerCart,
                in: context
            )
            #expect(merge.outcome == .adopted && merge.cart?.cart.totalQuantity == 1)
            visitor = end.withLock { $0 }
        }
        let next = try #require(visitor)
        let left = try #require(try await shop.carts.read(for: next, in: context)).cart
        #expect((left.id == cart.id) == !startsWithLogout)
        #expect(try await shop.carts.checkout(for: device, in: context).identity == .customer)
        #expect(try shop.state(left).customerAccessToken == nil)
    }
}
