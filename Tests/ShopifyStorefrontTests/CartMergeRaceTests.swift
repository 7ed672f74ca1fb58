import IdentityKit
import IdentitySQLite
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import Synchronization
import Testing

@testable import ShopifyStorefront

/// Merges at the same time as other operations, or with a guest's cart or session that cannot be read.
@Suite struct CartMergeRaceTests {
    @Test("a guest's cart that Shopify no longer has does not change the buyer's cart, and the merge succeeds")
    func guestCartIsGone() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let own = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let guest = try await shop.sessions.beginGuest().id
        let gone = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context).cart
        shop.storefront.removeCart(gone.id.rawValue)
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: session, merge: .keepGuest, in: shop.context)
        #expect(merge.outcome == .nothingToMerge)
        #expect(merge.cart?.cart.id == own.id)
        #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.id == own.id)
        let again = try await shop.carts.mergeGuestCart(of: guest, into: session, merge: .keepGuest, in: shop.context)
        #expect(again.cart?.cart.id == own.id)
    }

    @Test("if a guest's lost cart cannot be created again, the merge fails, and a repeated merge creates and merges it")
    func recreationFails() async throws {
        var policy = CartPolicy()
        policy.gone = .recreate
        let shop = try await SandboxShop(policy: policy)
        let session = try await shop.login()
        let guest = try await shop.sessions.beginGuest().id
        let gone = try await shop.carts.add(shop.mugs(3), for: guest, in: shop.context).cart
        shop.storefront.removeCart(gone.id.rawValue)
        shop.storefront.planFault(.before {}, on: .storefront)
        shop.storefront.planFault(.htmlPage(status: 503), on: .storefront)
        await #expect(throws: IdentityError.self) {
            try await shop.carts.mergeGuestCart(of: guest, into: session, in: shop.context)
        }
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: session, in: shop.context)
        #expect(merge.outcome == .adopted && merge.cart?.cart.totalQuantity == 3)
    }

    @Test("a merge that continues after an interruption does not bring back what the buyer has removed meanwhile")
    func removalBetweenMerges() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let session = try await shop.login()
        let shirts = CartLineInput(merchandiseID: SandboxShop.shirt, quantity: 2)
        let own = try await carts.add([shirts], for: session, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.add([CartLineInput(merchandiseID: SandboxShop.shirt)], for: guest, in: context)
        shop.storefront.refuseNext(code: "SERVICE_UNAVAILABLE")
        let outage = await #expect(throws: IdentityError.self) {
            try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context)
        }
        #expect(outage?.kind == .retryLater)
        let line = try #require(try await carts.lines(for: session, in: context).first?.id)
        _ = try await carts.remove(lineIDs: [line], for: session, in: context)
        let merge = try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context)
        #expect(merge.outcome == .merged && merge.shortLines.isEmpty)
        #expect(try shop.state(own).quantities == [SandboxShop.shirt: 1])
    }

    @Test("a line that the guest adds after a partial merge is merged, also if the buyer's cart has the same line")
    func additionAfterPartialMerge() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let session = try await shop.login()
        let own = try await carts.create(for: session, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        let shirts = [CartLineInput(merchandiseID: SandboxShop.shirt)]
        _ = try await carts.add(shirts + shop.mugs(), for: guest, in: context)
        func merge() async throws -> CartMergeOutcome {
            try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context).outcome
        }
        shop.storefront.refuseNext(code: "SERVICE_UNAVAILABLE")
        await #expect(throws: IdentityError.self) { try await merge() }
        shop.storefront.refuseLines(SandboxShop.mug, after: SandboxShop.shirt)
        // The fault and the shop refer to each other, so the test must remove the fault.
        defer { shop.storefront.removeAllFaults() }
        for quantity in [1, 2] {
            #expect(try await merge() == .partial)
            #expect(try shop.state(own).quantities == [SandboxShop.shirt: quantity])
            _ = try await carts.add(shirts, for: guest, in: context)
        }
    }

    @Test("a line that the buyer adds on another device during a merge does not count as merged")
    func additionOnOtherDevice() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let device = try await shop.login()
        let own = try await carts.add(shop.mugs(), for: device, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.add(shop.mugs(), for: guest, in: context)
        let session = try await shop.login()
        let additions = Mutex<[Task<SessionCart, any Error>]>([])
        shop.storefront.forgetRequests()
        shop.storefront.planFault(
            .before { [storefront = shop.storefront] in
                // The merge reads the buyer's cart for the second time, to get its earlier lines.
                let token = own.id.rawValue.suffix(32)
                guard storefront.requests.count(where: { $0.bodyText.contains(token) }) == 2 else { return }
                let addition = await shop.start {
                    try await carts.add(shop.mugs(), for: device, in: context)
                } until: {
                    carts.locks.lock.waiting(for: .cart(own.id)) > 0
                }
                additions.withLock { $0.append(addition) }
            },
            on: .storefront,
            times: .max
        )
        // The fault and the shop refer to each other, so the test must remove the fault.
        defer { shop.storefront.removeAllFaults() }
        let merge = try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context)
        #expect(merge.outcome == .merged)
        #expect(additions.withLock { $0.count } == 1)
        for addition in additions.withLock({ $0 }) { _ = try await addition.value }
        #expect(try shop.state(own).quantities == [SandboxShop.mug: 3])
    }

    @Test("lines that another process adds to the guest's cart during a merge are merged too")
    func additionToGuest() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let session = try await shop.login()
        let own = try await carts.add(shop.mugs(), for: session, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.add(shop.mugs(), for: guest, in: context)
        let other = try await shop.process()
        let additions = Mutex(0)
        shop.storefront.planFault(
            .before { [storefront = shop.storefront] in
                guard storefront.requests.last?.bodyText.contains("cartLinesAdd(") == true else { return }
                let isFirst = additions.withLock { count in
                    count += 1
                    return count == 1
                }
                guard isFirst else { return }
                let lines = shop.mugs() + [CartLineInput(merchandiseID: SandboxShop.shirt)]
                _ = try? await other.carts.add(lines, for: guest, in: context)
            },
            on: .storefront,
            times: .max
        )
        // The fault and the shop refer to each other, so the test must remove the fault.
        defer { shop.storefront.removeAllFaults() }
        let merge = try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context)
        #expect(merge.outcome == .merged)
        #expect(try shop.state(own).quantities == [SandboxShop.mug: 3, SandboxShop.shirt: 1])
    }

    @Test(
        "merges of one guest's cart at the same time as reads and checkouts all finish, and no line is added twice",
        .timeLimit(.minutes(10))
    )
    func together() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let guest = try await shop.guestWithMug().guest
        let before = try #require(try await shop.carts.read(for: session, in: shop.context)).cart.totalQuantity
        let brought = try #require(try await shop.carts.read(for: guest, in: shop.context)).cart.totalQuantity
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    _ = try await shop.carts.mergeGuestCart(
                        of: guest,
                        into: session,
                        merge: .intoCustomerCart,
                        in: shop.context
                    )
                }
                group.addTask { _ = try await shop.carts.read(for: session, in: shop.context) }
                group.addTask { _ = try await shop.carts.checkout(for: session, in: shop.context) }
            }
            try await group.waitForAll()
        }
        let after = try #require(try await shop.carts.read(for: session, in: shop.context)).cart.totalQuantity
        #expect(after == before + brought)
    }

    @Test("while another session has reserved the guest's cart, something is left to merge, and a later call merges it")
    func reservedByOther() async throws {
        let shop = try await SandboxShop()
        let (guest, cart) = try await shop.guestWithMug()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        shop.storefront.planFault(.htmlPage(status: 503), on: .storefront, times: 50)
        await #expect(throws: IdentityError.self) { try await shop.carts.mergeCart(ofGuest: guest, into: ada) }
        shop.storefront.removeAllFaults()
        #expect(try await !shop.carts.mergeCart(ofGuest: guest, into: grace))
        shop.clock.advance(by: .seconds(600))
        #expect(try await shop.carts.mergeCart(ofGuest: guest, into: grace))
        #expect(try await shop.carts.read(for: grace, in: shop.context)?.cart.id == cart.id)
    }

    @Test("a reservation whose time is far in the future, because a clock was wrong, does not keep the guest's cart")
    func reservedInFuture() async throws {
        let shop = try await SandboxShop()
        let guest = try await shop.guestWithMug().guest
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        shop.storefront.planFault(.htmlPage(status: 503), on: .storefront, times: 50)
        shop.clock.jump(by: 3600)
        await #expect(throws: IdentityError.self) { try await shop.carts.mergeCart(ofGuest: guest, into: ada) }
        shop.clock.jump(by: -3600)
        shop.storefront.removeAllFaults()
        #expect(try await shop.carts.mergeCart(ofGuest: guest, into: grace))
    }

    @Test("a creation whose time is far in the future, because a clock was wrong, counts as interrupted")
    func createdInFuture() async throws {
        let shop = try await SandboxShop()
        let guest = try await shop.sessions.beginGuest().id
        shop.storefront.planFault(.htmlPage(status: 502), on: .storefront)
        shop.clock.jump(by: 3600)
        await #expect(throws: IdentityError.self) {
            try await shop.carts.add(shop.mugs(), for: guest, in: shop.context)
        }
        shop.clock.jump(by: -3600)
        let session = try await shop.login()
        #expect(try await shop.carts.mergeCart(ofGuest: guest, into: session))
        _ = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context)
        #expect(shop.events.kinds == [.interrupted])
    }

    @Test("if the store cannot read the guest's session, the merge fails, and no line of the guest's cart is lost")
    func unreadableGuest() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.add(shop.mugs(2), for: guest, in: shop.context)
        let stored = try #require(try await shop.first.store.session(guest))
        var damaged = stored
        damaged.generation += 1
        damaged.payload = Secret("damaged")
        #expect(try await shop.first.store.replace(damaged, expecting: stored.generation))
        let error = await #expect(throws: IdentityError.self) {
            _ = try await shop.carts.mergeGuestCart(
                of: guest,
                into: session,
                merge: .intoCustomerCart,
                in: shop.context
            )
        }
        #expect(error?.code == .storeCorrupt)
        #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.totalQuantity == 1)
        var repaired = stored
        repaired.generation += 2
        #expect(try await shop.first.store.replace(repaired, expecting: damaged.generation))
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(merge.outcome == .merged && merge.cart?.cart.totalQuantity == 3)
        // A session that does not exist has nothing to merge.
        let absent = try await shop.carts.mergeGuestCart(of: guest, into: session, in: shop.context)
        #expect(absent.outcome == .nothingToMerge)
    }

    @Test("a guest's session does not get the cart of another guest")
    func guestToGuest() async throws {
        let shop = try await SandboxShop()
        let (one, other) = (try await shop.sessions.beginGuest().id, try await shop.sessions.beginGuest().id)
        let cart = try await shop.carts.add(shop.mugs(), for: one, in: shop.context).cart
        let merge = try await shop.carts.mergeGuestCart(of: one, into: other, in: shop.context)
        #expect(merge.outcome == .nothingToMerge && merge.cart == nil)
        #expect(try await shop.carts.read(for: one, in: shop.context)?.cart.id == cart.id)
    }

    @Test("a logout with mode clone removes the buyer from the old cart, also with the policy drop")
    func copyUnderDrop() async throws {
        var policy = CartPolicy()
        policy.logout = .drop
        let shop = try await SandboxShop(policy: policy)
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let end = try await shop.carts.logout(session, mode: .clone, in: shop.context)
        #expect(end.guest != nil && end.problem == nil)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }
}
