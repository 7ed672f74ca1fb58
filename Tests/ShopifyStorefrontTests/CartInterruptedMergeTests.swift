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
    @Test("a cart that a buyer has adopted goes to no other buyer, although the guest's session still names it")
    func adopted() async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        let (guest, cart) = try await shop.adoptWithoutEnd(by: ada)
        try await shop.addGiftCard(to: ada, losingResponse: false)
        shop.clock.advance(by: .seconds(600))
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: grace, in: shop.context)
        #expect(merge.outcome == .nothingToMerge && merge.guest == nil && merge.cart == nil)
        #expect(try await !shop.isBound(guest))
        #expect(try await shop.carts.read(for: ada, in: shop.context)?.cart.id == cart.id)
        #expect(try shop.state(cart).giftCards == ["1234"])
    }

    @Test("a cart that an interrupted sign-in gave to a session goes to the buyer's next session, with its gift cards")
    func signedInAgain() async throws {
        let shop = try await SandboxShop()
        let (guest, cart) = try await shop.adoptWithoutEnd(by: try await shop.login())
        try await shop.addGiftCard(to: guest, losingResponse: false)
        shop.clock.advance(by: .seconds(600))
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: try await shop.login(), in: shop.context)
        #expect(merge.outcome == .adopted && merge.cart?.cart.id == cart.id)
        #expect(try shop.state(cart).giftCards == ["1234"])
    }

    @Test(
        "a repeated merge names the gift cards of the cart that was replaced before the interruption, to the same buyer only",
        arguments: [(4, "ada@example.com", ["1234"]), (2, "grace@example.com", [])]
    )
    func replacedGiftCards(writes: Int, next: String, lost: [String]) async throws {
        let shop = try await SandboxShop()
        let ada = try await shop.login()
        _ = try await shop.carts.create(for: ada, in: shop.context)
        _ = try await shop.carts.addGiftCards(["ABCD1234", "ABCD5678"], for: ada, in: shop.context)
        let (guest, cart) = try await shop.guestWithMug()
        _ = try await shop.carts.addGiftCards(["ABCD5678"], for: guest, in: shop.context)
        // The first two writes store the reservation and the intent with the guest's session, two more the cart with the buyer's.
        shop.first.attachments.fail(after: writes)
        await #expect(throws: IdentityError.self) {
            try await shop.carts.mergeGuestCart(of: guest, into: ada, in: shop.context)
        }
        shop.first.attachments.fail(after: nil)
        shop.clock.advance(by: .seconds(600))
        let session = next.hasPrefix("ada") ? ada : try await shop.login(as: next)
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: session, in: shop.context)
        #expect(merge.outcome == .adopted && merge.cart?.cart.id == cart.id)
        #expect(merge.lostGiftCards == lost)
    }

    @Test("a logout gives the next buyer a copy of a cart that a guest's session still names")
    func handedOver() async throws {
        let shop = try await SandboxShop()
        let ada = try await shop.login()
        let (_, cart) = try await shop.adoptWithoutEnd(by: ada)
        shop.clock.advance(by: .seconds(600))
        let end = try await shop.carts.logout(ada, mode: .detach, in: shop.context)
        let copy = try await shop.visitorCart(end)
        #expect(copy.id != cart.id && copy.totalQuantity == 1)
    }

    @Test("a logout with mode detach removes the buyer from a cart that it copies, also with the policy drop")
    func copiedUnderDrop() async throws {
        var policy = CartPolicy()
        policy.logout = .drop
        let shop = try await SandboxShop(policy: policy)
        let ada = try await shop.login()
        let (_, cart) = try await shop.adoptWithoutEnd(by: ada)
        let end = try await shop.carts.logout(ada, mode: .detach, in: shop.context)
        #expect(try await shop.visitorCart(end).id != cart.id)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }

    @Test("a cart that is taken from an interrupted merge loses the first buyer's gift cards")
    func giftCards() async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        let (guest, cart) = try await shop.guestWithMug()
        try await shop.interruptMerge(of: guest, into: ada)
        try await shop.addGiftCard(to: ada, losingResponse: false)
        shop.clock.advance(by: .seconds(600))
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: grace, in: shop.context)
        #expect(merge.outcome == .adopted && merge.cart?.cart.id == cart.id)
        #expect(try shop.state(cart).giftCards.isEmpty)
    }

    @Test("a cart that a buyer has adopted and left behind at the guest's session loses that buyer's gift cards")
    func giftCardsAfterLogout() async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        let (guest, cart) = try await shop.adoptWithoutEnd(by: ada)
        try await shop.addGiftCard(to: ada, losingResponse: false)
        _ = try await shop.sessions.logout(ada)
        #expect(try shop.state(cart).giftCards == ["1234"])
        shop.clock.advance(by: .seconds(600))
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: grace, in: shop.context)
        #expect(merge.outcome == .adopted && merge.cart?.cart.id == cart.id)
        #expect(try shop.state(cart).giftCards.isEmpty)
    }

    @Test("a guest's checkout removes a customer whom another session with the same cart has put on it")
    func checkoutOfGuest() async throws {
        let shop = try await SandboxShop()
        let ada = try await shop.login()
        let (guest, cart) = try await shop.adoptWithoutEnd(by: ada)
        shop.clock.advance(by: .seconds(600))
        for _ in 0..<2 {
            #expect(try await shop.carts.checkout(for: ada, in: shop.context).identity == .customer)
            #expect(try shop.state(cart).customerAccessToken != nil)
            #expect(try await shop.carts.checkout(for: guest, in: shop.context).identity == .guest)
            #expect(try shop.state(cart).customerAccessToken == nil)
        }
    }

    @Test("a merge leaves the guest's cart to another buyer whose merge has adopted it in the meantime")
    func overtakenAdoption() async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        let own = try await shop.carts.add(shop.mugs(), for: ada, in: shop.context).cart
        let (guest, cart) = try await shop.guestWithMug()
        let other = try await shop.process()
        let token = own.id.rawValue.suffix(32)
        // The first merge removes its buyer from the cart that it replaces.
        shop.beforeFirst("cartBuyerIdentityUpdate(", with: String(token)) {
            shop.clock.advance(by: .seconds(120))
            _ = try? await other.carts.mergeGuestCart(of: guest, into: grace, in: shop.context)
        }
        // The fault and the shop refer to each other, so the test must remove the fault.
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
        let guest = try await shop.guestWithMug().guest
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
    /// Merges a new guest's cart into a session that has none, and stops before the cart is removed from the guest's session.
    fileprivate func adoptWithoutEnd(by session: SessionID) async throws -> (guest: SessionID, cart: Cart) {
        let (guest, cart) = try await guestWithMug()
        // The reservation, the intent of both sessions, and the adopted cart are written.
        first.attachments.fail(after: 4)
        await #expect(throws: IdentityError.self) {
            try await carts.mergeGuestCart(of: guest, into: session, in: context)
        }
        first.attachments.fail(after: nil)
        #expect(try await carts.identityState(for: session) != .guest)
        #expect(try await isBound(guest))
        return (guest, cart)
    }

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
