import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Synchronization
import Testing

/// A merge or a move of a cart while another process works on the carts of the same sessions.
@Suite struct CartMergeProcessTests {
    private let shirts = [CartLineInput(merchandiseID: SandboxShop.shirt)]

    @Test("if the new session has or gets another cart, a move fails, and both sessions keep their carts")
    func creationDuringMove() async throws {
        let shop = try await SandboxShop()
        let (old, session) = (try await shop.login(), try await shop.login())
        let cart = try await shop.carts.add(shop.mugs(), for: old, in: shop.context).cart
        let other = try await shop.process()
        shop.storefront.planFault(
            .before { [shirts] in _ = try? await other.carts.add(shirts, for: session, in: shop.context) },
            on: .storefront
        )
        for _ in 0..<2 {
            let error = await #expect(throws: IdentityError.self) {
                try await shop.carts.moveCart(of: old, to: session)
            }
            #expect(error?.code == .cartBusy)
        }
        let own = try #require(try await shop.carts.read(for: session, in: shop.context)).cart
        #expect(try shop.state(own).quantities == [SandboxShop.shirt: 1])
        #expect(try await shop.carts.read(for: old, in: shop.context)?.cart.id == cart.id)
    }

    @Test("a cart that another process creates for the session during the merge of a sign-in gets the guest's lines")
    func creationDuringMerge() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let guest = try await shop.guestWithMug().guest
        let other = try await shop.process()
        shop.storefront.planFault(
            .before { [shirts] in _ = try? await other.carts.add(shirts, for: session, in: shop.context) },
            on: .storefront
        )
        #expect(try await shop.carts.mergeCart(ofGuest: guest, into: session))
        let own = try #require(try await shop.carts.read(for: session, in: shop.context)).cart
        #expect(try shop.state(own).quantities == [SandboxShop.shirt: 1, SandboxShop.mug: 1])
    }

    @Test("two processes that merge the same guest's cart into the same session add each line once")
    func sameMergeTwice() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let own = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let guest = try await shop.guestWithMug().guest
        let other = try await shop.process()
        let outcome = Mutex<CartMergeOutcome?>(nil)
        shop.storefront.planFault(
            .before {
                let merge = try? await other.carts.mergeGuestCart(
                    of: guest,
                    into: session,
                    merge: .intoCustomerCart,
                    in: shop.context
                )
                outcome.withLock { $0 = merge?.outcome }
            },
            on: .storefront
        )
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(outcome.withLock { $0 } == .merged)
        #expect(merge.outcome == .nothingToMerge && merge.guest == nil && merge.cart?.cart.id == own.id)
        #expect(try shop.state(own).quantities == [SandboxShop.mug: 2])
    }

    @Test("a guest's cart that another process is creating during a sign-in is merged by a later call")
    func mergeDuringCreation() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let guest = try await shop.sessions.beginGuest().id
        let other = try await shop.process()
        let isComplete = Mutex<Bool?>(nil)
        shop.storefront.planFault(
            .before {
                let merged = try? await shop.carts.mergeCart(ofGuest: guest, into: session)
                isComplete.withLock { $0 = merged }
            },
            on: .storefront
        )
        let cart = try await other.carts.add(shop.mugs(), for: guest, in: shop.context).cart
        #expect(isComplete.withLock { $0 } == false)
        #expect(try await shop.carts.mergeCart(ofGuest: guest, into: session))
        #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.id == cart.id)
    }

    @Test("a merge that another process completes meanwhile succeeds without merging anything")
    func completedMeanwhile() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let (guest, cart) = try await shop.guestWithMug()
        let other = try await shop.process()
        shop.storefront.planFault(
            .before { _ = try? await other.carts.mergeGuestCart(of: guest, into: session, in: shop.context) },
            on: .storefront
        )
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: session, in: shop.context)
        #expect(merge.outcome == .nothingToMerge && merge.guest == nil && merge.cart?.cart.id == cart.id)
        #expect(try shop.state(cart).customerAccessToken != nil)
    }

    @Test("a guest's checkout removes the buyer whom an interrupted merge has put on the guest's cart")
    func checkoutAfterInterruption() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let (guest, cart) = try await shop.guestWithMug()
        try await shop.interruptMerge(of: guest, into: session)
        #expect(try shop.state(cart).customerAccessToken != nil)
        #expect(try await shop.carts.checkout(for: guest, in: shop.context).identity == .guest)
        #expect(try shop.state(cart).customerAccessToken == nil)
        // A repeated merge puts the buyer on the cart again.
        #expect(try await shop.carts.mergeGuestCart(of: guest, into: session, in: shop.context).outcome == .adopted)
        #expect(try shop.state(cart).customerAccessToken != nil)
    }

    @Test("a guest's cart after an interrupted merge into another buyer's session is merged without that buyer's data")
    func otherBuyerAfterInterruption() async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login("bolt"), try await shop.login(as: "grace@example.com"))
        let (guest, cart) = try await shop.guestWithMug()
        shop.loseResponses(of: "cartDeliveryAddressesReplace")
        await #expect(throws: IdentityError.self) {
            try await shop.carts.mergeGuestCart(of: guest, into: ada, in: shop.context)
        }
        shop.storefront.removeAllFaults()
        #expect(try shop.state(cart).email == "ada@example.com")
        shop.clock.advance(by: .seconds(600))
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: grace, in: shop.context)
        #expect(merge.outcome == .adopted && merge.cart?.cart.id == cart.id)
        let state = try shop.state(cart)
        #expect(state.customerAccessToken != nil && state.email != "ada@example.com" && state.addresses.isEmpty)
    }

    @Test(
        "after an interrupted merge into one buyer's session, a merge into another's takes the cart and that buyer away",
        arguments: [CartPolicy.Merge.keepGuest, .intoCustomerCart]
    )
    func takenFromInterruptedMerge(merge: CartPolicy.Merge) async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        let (guest, cart) = try await shop.guestWithMug()
        try await shop.interruptMerge(of: guest, into: ada)
        #expect(try shop.state(cart).customerAccessToken != nil)
        #expect(try await shop.isBound(ada))
        shop.clock.advance(by: .seconds(600))
        // A request of the first buyer may still arrive.
        shop.loseResponses(of: "cartBuyerIdentityUpdate")
        await #expect(throws: IdentityError.self) { try await shop.carts.checkout(for: ada, in: shop.context) }
        shop.storefront.removeAllFaults()
        let early = try await shop.carts.mergeGuestCart(of: guest, into: grace, merge: merge, in: shop.context)
        #expect(early.outcome == .nothingToMerge && early.guest == guest)
        shop.clock.advance(by: .seconds(600))
        if merge == .intoCustomerCart { _ = try await shop.carts.add(shop.mugs(), for: grace, in: shop.context) }
        let merged = try await shop.carts.mergeGuestCart(of: guest, into: grace, merge: merge, in: shop.context)
        #expect(try await !shop.isBound(ada))
        #expect(merged.cart?.identity != .guest)
        if merge == .keepGuest {
            #expect(merged.outcome == .adopted && merged.cart?.cart.id == cart.id)
        } else {
            #expect(merged.outcome == .merged && merged.cart?.cart.totalQuantity == 2)
            #expect(try shop.state(cart).customerAccessToken == nil)
        }
    }

    @Test("a merge into another session waits until a late request of a slow interrupted merge can no longer arrive")
    func lateIdentity() async throws {
        let shop = try await SandboxShop()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        let guest = try await shop.guestWithMug().guest
        shop.storefront.planFault(.before { shop.clock.advance(by: .seconds(45)) }, on: .storefront)
        try await shop.interruptMerge(of: guest, into: ada)
        // The merge began 75 seconds ago, and sent the buyer's identity 30 seconds ago.
        shop.clock.advance(by: .seconds(30))
        try await shop.carts.forget(for: ada)
        #expect(try await !shop.carts.mergeCart(ofGuest: guest, into: grace))
        shop.clock.advance(by: .seconds(600))
        #expect(try await shop.carts.mergeCart(ofGuest: guest, into: grace))
    }

    @Test("an interrupted merge adds no line twice, also if another guest's cart is merged before it is repeated")
    func mergeOfOtherGuest() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let own = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let (guest, other) = (try await shop.sessions.beginGuest().id, try await shop.sessions.beginGuest().id)
        _ = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context)
        _ = try await shop.carts.add(shirts, for: other, in: shop.context)
        func merge(_ guest: SessionID) async throws -> CartMergeOutcome {
            try await shop.carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: shop.context)
                .outcome
        }
        // The lines are added, then the update of the buyer's identity fails.
        shop.loseResponses(of: "cartBuyerIdentityUpdate")
        await #expect(throws: IdentityError.self) { try await merge(guest) }
        shop.storefront.removeAllFaults()
        let moved = shop.storefront.moveCart(own.id.rawValue)
        #expect(try await merge(other) == .merged)
        #expect(try await merge(guest) == .merged)
        let cart = try #require(try await shop.carts.read(for: session, in: shop.context)).cart
        #expect(cart.id.rawValue == moved)
        #expect(try shop.state(cart).quantities == [SandboxShop.shirt: 1, SandboxShop.mug: 2])
    }

    @Test("a merge succeeds although another process changes the guest's stored cart at its beginning")
    func guestChangesDuringMerge() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let own = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.add(shirts, for: guest, in: shop.context)
        let other = try await shop.process()
        shop.storefront.planFault(
            .before { _ = try? await other.carts.addGiftCards(["GIFT-CARD-1234"], for: guest, in: shop.context) },
            on: .storefront
        )
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(merge.outcome == .merged && merge.lostGiftCards == ["1234"])
        #expect(try shop.state(own).quantities == [SandboxShop.shirt: 1, SandboxShop.mug: 1])
    }

    @Test("an interrupted merge of lines does not change the guest's cart at a later checkout")
    func intentOnlyWhenAdopting() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let guest = try await shop.guestWithMug().guest
        try await shop.interruptMerge(of: guest, into: session, merge: .intoCustomerCart)
        shop.storefront.forgetRequests()
        _ = try await shop.carts.checkout(for: guest, in: shop.context)
        #expect(shop.count("cartBuyerIdentityUpdate") == 0)
    }

    @Test("two sessions with the same cart add discount codes in two processes, and no code is lost")
    func sharedCodes() async throws {
        let shop = try await SandboxShop()
        let device = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: device, in: shop.context).cart
        let (session, guest) = (try await shop.login(), try await shop.sessions.beginGuest().id)
        _ = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context)
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(merge.cart?.cart.id == cart.id)
        let other = try await shop.process()
        let change = Mutex<Task<SessionCart, any Error>?>(nil)
        shop.storefront.planFault(.before {}, on: .storefront)
        shop.storefront.planFault(
            .before {
                // This process has read the codes and is about to write them.
                let task = await shop.start {
                    try await other.carts.changeDiscountCodes(adding: ["SHIPFREE"], for: device, in: shop.context)
                } until: {
                    other.attachments.requestedLocks.contains(.object(cart.id.rawValue))
                }
                change.withLock { $0 = task }
            },
            on: .storefront
        )
        _ = try await shop.carts.changeDiscountCodes(adding: ["SUMMER10"], for: session, in: shop.context)
        _ = try await change.withLock { $0 }?.value
        #expect(try shop.state(cart).discountCodes.sorted() == ["SHIPFREE", "SUMMER10"])
    }
}
