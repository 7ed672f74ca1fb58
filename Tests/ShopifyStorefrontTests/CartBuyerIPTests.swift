import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyStorefront
import Testing

@Suite struct CartBuyerIPTests {
    @Test("calls without a context send the IP of the session's last call of any kind")
    func lastBuyerIP() async throws {
        let calls: [@Sendable (TestShop, StorefrontContext) async throws -> Void] = [
            { _ = try await $0.carts.setNote("note", for: $0.session, in: $1) },
            { _ = try await $0.carts.read(for: $0.session, in: $1) },
            { _ = try await $0.carts.checkout(for: $0.session, in: $1) },
            { _ = try await $0.carts.deliveryGroups(for: $0.session, in: $1) },
        ]
        for call in calls {
            for mode in [CartPolicy.Logout.clone, .detach, .drop] {
                var policy = CartPolicy()
                policy.logout = mode
                let shop = try await TestShop(.customer, policy: policy, CartIdentityTests.shopify)
                _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: shop.context)
                shop.storefront.now { call in
                    let isDelivery = call.document.contains("deliveryGroups")
                    guard isDelivery else { return await CartIdentityTests.shopify(call) }
                    return .json(#"{"data":{"cart":{"deliveryGroups":{"nodes":[]}}}}"#)
                }
                try await call(shop, StorefrontContext(buyerIP: "198.51.100.9"))
                shop.storefront.forget()
                _ = try await shop.sessions.refreshTokens(for: shop.session)
                await shop.sessions.drain()
                // The policy `drop` would leave out the detach.
                _ = try await shop.carts.logout(shop.session, mode: mode == .drop ? .clone : mode)
                let addresses = Set(shop.storefront.calls.map { $0.request.header("Shopify-Storefront-Buyer-IP") })
                #expect(addresses == ["198.51.100.9"])
            }
        }
    }

    @Test("a new IP that the store cannot save does not make a change fail")
    func unsavedIP() async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: shop.context)
        let store = ReadOnlyAttachments(inner: shop.store)
        let carts = CartAdapter(client: shop.carts.client, sessions: shop.sessions, store: store)
        _ = try await carts.setNote("n", for: shop.session, in: StorefrontContext(buyerIP: "198.51.100.9"))
    }
}

private struct ReadOnlyAttachments: WrappingStore {
    let inner: InMemoryStore

    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        throw IdentityError(.retryLater, .storeFailed, "The disk is full.")
    }
}
