import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Synchronization
import Testing

/// A guest's cart of which one buyer's merge was interrupted or is slow, and another buyer.
@Suite struct CartInterruptedMergeTests {
    @Test("a merge that another buyer's merge overtakes before it adopts the guest's cart leaves that cart to them")
    func overtakenAdoption() async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        let own = try await shop.carts.add(shop.mugs(), for: ada, in: shop.context).cart
        let guest = try await shop.sessions.beginGuest().id
        let cart = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context).cart
        let other = try await shop.process()
        let token = own.id.rawValue.suffix(32)
        // The first merge removes its buyer from the cart that it replaces.
        shop.beforeFirst("cartBuyerIdentityUpdate(", with: String(token)) {
            shop.clock.advance(by: .seconds(120))
            _ = try? await other.carts.mergeGuestCart(of: guest, into: grace, in: shop.context)
        }
        // The fault keeps the shop, which keeps the fault.
        defer { shop.storefront.removeAllFaults() }
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: ada, in: shop.context)
        #expect(merge.outcome == .nothingToMerge && merge.cart?.cart.id == own.id)
        #expect(try await shop.carts.read(for: ada, in: shop.context)?.cart.id == own.id)
        #expect(try shop.state(own).customerAccessToken != nil)
        #expect(try await shop.carts.read(for: grace, in: shop.context)?.cart.id == cart.id)
        let tokens = try await shop.sessions.tokens(for: grace).tokens
        #expect(try shop.state(cart).customerAccessToken == tokens.accessToken.reveal())
    }

    @Test("while a slow merge adds a guest's lines to one buyer's cart, they go to no other buyer's cart")
    func slowAddition() async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        let own = try await shop.carts.add(shop.mugs(), for: ada, in: shop.context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context)
        let other = try await shop.process()
        let outcome = Mutex<CartMergeOutcome?>(nil)
        shop.storefront.planFault(.before { shop.clock.advance(by: .seconds(120)) }, on: .storefront)
        shop.beforeFirst("cartLinesAdd(") {
            let merge = try? await other.carts.mergeGuestCart(of: guest, into: grace, in: shop.context)
            outcome.withLock { $0 = merge?.outcome }
        }
        defer { shop.storefront.removeAllFaults() }
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: ada,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(merge.outcome == .merged && outcome.withLock { $0 } == .nothingToMerge)
        #expect(try await !shop.isBound(grace))
        #expect(try shop.state(own).quantities == [SandboxShop.mug: 2])
    }
}

extension SandboxShop {
    /// Runs a closure before the first request that contains two strings.
    fileprivate func beforeFirst(_ field: String, with text: String = "", _ run: @escaping @Sendable () async -> Void) {
        let isFirst = Mutex(true)
        storefront.planFault(
            .before { [storefront] in
                guard let body = storefront.requests.last?.bodyText, body.contains(field),
                    text.isEmpty || body.contains(text)
                else { return }
                let runs = isFirst.withLock { value in
                    defer { value = false }
                    return value
                }
                if runs { await run() }
            },
            on: .storefront,
            times: .max
        )
    }
}
