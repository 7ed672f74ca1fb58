import IdentityHTTP
import IdentityKit
import IdentityTesting
import ShopifyStorefront
import StorefrontSandbox
import Testing

/// A session whose retention period is over has no cart, even before a sweep has removed the session.
@Suite struct CartRetentionTests {
    private func expectUnknown(_ id: SessionID, _ shop: TestShop, _ carts: CartAdapter) async throws {
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("read", { _ = try await carts.read(for: id) }),
            ("lines", { _ = try await carts.lines(for: id) }),
            ("add", { _ = try await carts.add(TestShop.lines, for: id) }),
            ("create", { _ = try await carts.create(for: id) }),
            ("setNote", { _ = try await carts.setNote("x", for: id) }),
            ("checkout", { _ = try await carts.checkout(for: id) }),
            ("detach", { _ = try await carts.detach(from: id) }),
            ("attach", { _ = try await carts.attach(to: id) }),
            ("identityState", { _ = try await carts.identityState(for: id) }),
            ("otherCarts", { _ = try await carts.otherCarts(ofBuyerOf: id) }),
            ("forget", { try await carts.forget(for: id) }),
            (
                "mergeGuestCart",
                { _ = try await carts.mergeGuestCart(of: try await shop.sessions.beginGuest().id, into: id) }
            ),
        ]
        shop.storefront.forget()
        for (name, call) in calls {
            let error = await #expect(throws: IdentityError.self, "\(name)") { try await call() }
            #expect(error?.code == .sessionUnknown, "\(name)")
        }
        #expect(shop.storefront.fields.isEmpty)
        #expect(try await shop.store.attachment(TestShop.row, of: id) != nil)
    }

    @Test("after a session's retention period, every call for its cart fails with session_unknown, even before a sweep")
    func retention() async throws {
        let shop = try await TestShop(.customer) { .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.clock.advance(by: .seconds(91 * 86_400))
        try await expectUnknown(shop.session, shop, shop.carts)
    }

    @Test("after a session's maximum lifetime, every call for its cart fails with session_unknown")
    func maximumLifetime() async throws {
        let shop = try await TestShop(.customer) { .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        var configuration = SessionManager.Configuration()
        configuration.maximumSessionLifetime = .seconds(86_400)
        let sessions = SessionManager(
            providers: try ProviderRegistry([shop.provider]),
            store: shop.store,
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock),
            configuration: configuration
        )
        let carts = CartAdapter(
            client: try shop.storefront.client(clock: shop.clock),
            sessions: sessions,
            store: shop.store
        )
        _ = try await carts.identityState(for: shop.session)
        shop.clock.advance(by: .seconds(2 * 86_400))
        try await expectUnknown(shop.session, shop, carts)
    }

    @Test("after a guest session's retention period, every call for its cart fails, and a login merges nothing from it")
    func overdueGuest() async throws {
        let shop = try await TestShop(.customer) { .payload($0.field) }
        let guest = try await shop.sessions.beginGuest(retainedFor: .seconds(3600)).id
        _ = try await shop.carts.create(TestShop.lines, for: guest)
        shop.clock.advance(by: .seconds(3601))
        try await expectUnknown(guest, shop, shop.carts)
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: shop.session)
        #expect(merge.outcome == .nothingToMerge && merge.cart == nil)
        #expect(shop.storefront.fields.isEmpty)
    }

    @Test("a logout after a session's retention period removes the buyer from the cart and creates no cart for a guest")
    func logout() async throws {
        let shop = try await TestShop(.customer) { .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.clock.advance(by: .seconds(91 * 86_400))
        shop.storefront.forget()
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.logout(shop.session) }
        #expect(error?.code == .sessionUnknown)
        #expect(shop.storefront.fields == ["cartBuyerIdentityUpdate"])
    }
}
