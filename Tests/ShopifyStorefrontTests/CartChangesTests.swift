import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import TestGuides
import Testing

@testable import ShopifyStorefront

/// All changes of a cart, with a check of the buyer's identity before and after.
@Suite struct CartChangesTests {
    @Test(
        "lines, note, attributes, codes, gift cards, addresses and delivery change, and the customer stays on the cart",
        .row("D5", "D6", "D7", "D8", "D10")
    )
    func everything() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let session = try await shop.login()
        let gift = CartLineInput(
            merchandiseID: SandboxShop.shirt,
            quantity: 1,
            attributes: [CartAttribute(key: "engraving", value: "A")],
            sellingPlanID: "gid://shopify/SellingPlan/1"
        )
        var cart = try await carts.add(shop.mugs() + [gift], for: session, in: context).cart
        #expect(cart.lines.map(\.sellingPlanID) == [nil, "gid://shopify/SellingPlan/1"])
        let mug = try #require(cart.lines.first).id
        cart = try await carts.update([CartLineUpdateInput(id: mug, quantity: 5)], for: session, in: context).cart
        #expect(cart.totalQuantity == 6)
        cart = try await carts.remove(lineIDs: [mug], for: session, in: context).cart
        cart = try await carts.remove(lineIDs: [mug], for: session, in: context).cart
        #expect(cart.lines.map(\.attributes) == [[CartAttribute(key: "engraving", value: "A")]])
        _ = try await carts.setNote("ring twice", for: session, in: context)
        _ = try await carts.setAttributes([CartAttribute(key: "gift", value: "yes")], for: session, in: context)
        cart = try await carts.changeDiscountCodes(adding: ["SANDBOX10"], for: session, in: context).cart
        #expect(cart.discountCodes == [CartDiscountCode(code: "SANDBOX10", isApplicable: true)])
        cart = try await carts.addGiftCards(["ABCD1234", "EFGH5678"], for: session, in: context).cart
        cart = try await carts.removeGiftCards([cart.giftCards[0].id], for: session, in: context).cart
        #expect(cart.giftCards.map(\.lastCharacters) == ["5678"] && cart.note == "ring twice")
        var address = PostalAddress()
        address.line1 = "1 Way"
        address.countryCode = "US"
        _ = try await carts.addDeliveryAddresses([CartSelectableAddressInput(address)], for: session, in: context)
        let group = try #require(try await carts.deliveryGroups(for: session, in: context).first)
        let choice = CartSelectedDeliveryOptionInput(
            deliveryGroupID: group.id,
            deliveryOptionHandle: group.deliveryOptions[1].handle
        )
        cart = try await carts.chooseDelivery([choice], for: session, in: context).cart
        let addressID = try #require(cart.deliveryAddressIDs.first)
        address.line1 = "2 Way"
        let change = CartSelectableAddressUpdateInput(
            id: addressID,
            address: .set(CartAddressInput(address)),
            selected: .set(true)
        )
        _ = try await carts.updateDeliveryAddresses([change], for: session, in: context)
        let state = try shop.state(cart)
        #expect(state.addresses == ["2 Way, US"] && state.deliveryOption == group.deliveryOptions[1].handle)
        #expect(state.attributes == ["gift": "yes"] && state.customerAccessToken != nil)
        // Data that the buyer entered is removed with the buyer.
        #expect(try await carts.detach(from: session, in: context).cart.deliveryAddressIDs.isEmpty)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }

    @Test("a guest's cart becomes the buyer's at login, and the guest's session ends")
    func keepGuest() async throws {
        let shop = try await SandboxShop()
        let guest = try await shop.sessions.beginGuest()
        #expect(guest.isGuest && guest.needsLogin)
        let error = await #expect(throws: IdentityError.self) { try await shop.sessions.tokens(for: guest.id) }
        #expect(error?.code == .notSignedIn)
        let cart = try await shop.carts.add(shop.mugs(), for: guest.id, in: shop.context)
        #expect(cart.identity == .guest && cart.problem == nil)
        let session = try await shop.login()
        let merge = try await shop.carts.mergeGuestCart(of: guest.id, into: session, in: shop.context)
        #expect(merge.outcome == .adopted && merge.cart?.cart.id == cart.cart.id)
        #expect(try shop.state(cart.cart).customerAccessToken != nil)
        let again = try await shop.carts.mergeGuestCart(of: guest.id, into: session, in: shop.context)
        #expect(again.outcome == .nothingToMerge && again.cart?.cart.id == cart.cart.id)
        #expect(try await shop.sessions.sessions().count == 1)
    }

    @Test(
        "a guest's lines are merged into the cart of the buyer's other session: equal lines are added up, codes are combined, and conflicts are reported"
    )
    func intoCustomerCart() async throws {
        let shop = try await SandboxShop()
        let earlier = try await shop.login()
        let own = try await shop.carts.add(shop.mugs(2), for: earlier, in: shop.context).cart
        _ = try await shop.carts.setNote("mine", for: earlier, in: shop.context)
        _ = try await shop.carts.changeDiscountCodes(adding: ["A"], for: earlier, in: shop.context)
        let guest = try await shop.sessions.beginGuest().id
        let shirt = CartLineInput(
            merchandiseID: SandboxShop.shirt,
            attributes: .set([CartAttribute(key: "b", value: "2"), CartAttribute(key: "a", value: "1")])
        )
        _ = try await shop.carts.add(shop.mugs(3) + [shirt], for: guest, in: shop.context)
        _ = try await shop.carts.setNote("theirs", for: guest, in: shop.context)
        _ = try await shop.carts.setAttributes([CartAttribute(key: "gift", value: "yes")], for: guest)
        _ = try await shop.carts.changeDiscountCodes(adding: ["A", "B"], for: guest, in: shop.context)
        _ = try await shop.carts.addGiftCards(["ABCD1234", "ABCD5678"], for: guest, in: shop.context)
        _ = try await shop.carts.addGiftCards(["ABCD5678"], for: earlier, in: shop.context)
        let session = try await shop.login()
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(merge.outcome == .merged && merge.cart?.cart.id == own.id)
        #expect(merge.conflicts == ["note"] && merge.lostGiftCards == ["1234"])
        let state = try shop.state(own)
        #expect(state.quantities == [SandboxShop.mug: 5, SandboxShop.shirt: 1])
        #expect(state.note == "mine" && state.discountCodes == ["A", "B"] && state.attributes == ["gift": "yes"])
        #expect(shop.events.kinds == [.merged])
        await #expect(throws: IdentityError.self) { try await shop.sessions.session(guest) }
    }

    @Test(
        "a line that Shopify rejects is listed and stays in the guest's cart, and insufficient stock is reported without an error"
    )
    func partialMerge() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(
            [CartLineInput(merchandiseID: SandboxShop.lastOnes, quantity: 2)],
            for: session,
            in: shop.context
        )
        let guest = try await shop.sessions.beginGuest().id
        let scarce = CartLineInput(merchandiseID: SandboxShop.lastOnes, quantity: 3)
        let bundle = try await shop.carts.add([scarce] + shop.mugs(), for: guest, in: shop.context).cart
        let refusing = Task { [storefront = shop.storefront] in
            storefront.planFault(
                .before {
                    guard storefront.requests.last?.bodyText.contains("cartLinesAdd(") == true else { return }
                    storefront.removeAllFaults()
                    storefront.refuseNext(code: "MERCHANDISE_NOT_APPLICABLE", field: ["lines", "1", "merchandiseId"])
                },
                on: .storefront,
                times: 40
            )
        }
        await refusing.value
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(merge.outcome == .partial && merge.guest == guest)
        #expect(merge.refusedLines.map(\.line.merchandiseID) == [SandboxShop.mug])
        #expect(merge.shortLines.map(\.merchandiseID) == [SandboxShop.lastOnes])
        #expect(try shop.state(bundle).quantities[SandboxShop.mug] == 1)
        #expect(try await shop.carts.read(for: guest)?.cart.id == bundle.id)
    }

    @Test(
        "a repeated merge of a partly merged cart tries only the lines that are left, and brings nothing back that the buyer removed"
    )
    func repeatedPartialMerge() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let session = try await shop.login()
        let own = try await carts.create(for: session, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        let shirt = CartLineInput(merchandiseID: SandboxShop.shirt)
        _ = try await carts.add([shirt] + shop.mugs(), for: guest, in: context)
        _ = try await carts.changeDiscountCodes(adding: ["A"], for: guest, in: context)
        shop.storefront.refuseLines(SandboxShop.mug, after: SandboxShop.shirt)
        func merge() async throws -> CartMergeResult {
            try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context)
        }
        #expect(try await merge().outcome == .partial)
        #expect(try shop.state(own).quantities == [SandboxShop.shirt: 1])
        #expect(try shop.state(own).discountCodes == ["A"])

        let line = try #require(try await carts.lines(for: session, in: context).first?.id)
        _ = try await carts.remove(lineIDs: [line], for: session, in: context)
        _ = try await carts.changeDiscountCodes(removing: ["A"], for: session, in: context)
        let again = try await merge()
        #expect(again.outcome == .partial && again.refusedLines.map(\.line.merchandiseID) == [SandboxShop.mug])
        #expect(try shop.state(own).lineCount == 0 && shop.state(own).discountCodes.isEmpty)

        // A line that the guest adds later is merged, and so is the refused line as soon as Shopify accepts it.
        shop.storefront.removeAllFaults()
        _ = try await carts.add([shirt], for: guest, in: context)
        #expect(try await merge().outcome == .merged)
        #expect(try shop.state(own).quantities == [SandboxShop.mug: 1, SandboxShop.shirt: 1])
    }

    @Test("with keepGuest the result lists the gift cards of the replaced cart that the guest's cart does not have")
    func giftCardsOfReplacedCart() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.create(for: session, in: shop.context)
        _ = try await shop.carts.addGiftCards(["ABCD1234", "ABCD5678"], for: session, in: shop.context)
        let (guest, cart) = try await shop.guestWithMug()
        _ = try await shop.carts.addGiftCards(["ABCD5678", "ABCD9999"], for: guest, in: shop.context)
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: session, merge: .keepGuest, in: shop.context)
        #expect(merge.outcome == .adopted && merge.cart?.cart.id == cart.id)
        #expect(merge.lostGiftCards == ["1234"])
    }

    @Test("with preferCustomer the guest's cart is dropped, or becomes the buyer's cart if the buyer has none")
    func preferCustomer() async throws {
        let shop = try await SandboxShop()
        for hasCart in [false, true] {
            let session = try await shop.login()
            if hasCart {
                _ = try await shop.carts.create(shop.mugs(7), for: session, in: shop.context)
                _ = try await shop.carts.addGiftCards(["ABCD5678"], for: session, in: shop.context)
            }
            let guest = try await shop.sessions.beginGuest().id
            _ = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context)
            _ = try await shop.carts.addGiftCards(["ABCD1234", "ABCD5678"], for: guest, in: shop.context)
            let merge = try await shop.carts.mergeGuestCart(
                of: guest,
                into: session,
                merge: .preferCustomer,
                in: shop.context
            )
            #expect(merge.outcome == (hasCart ? .discarded : .adopted))
            #expect(merge.cart?.cart.totalQuantity == (hasCart ? 7 : 1))
            #expect(merge.lostGiftCards == (hasCart ? ["1234"] : []))
        }
    }

    @Test(
        "a logout's copy of the cart has lines, note and codes but no data of the buyer, who is removed from the old cart",
        .row("D11")
    )
    func cloned() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login("bolt")
        let cart = try await shop.carts.add(shop.mugs(2), for: session, in: shop.context).cart
        _ = try await shop.carts.setNote("ring twice", for: session, in: shop.context)
        _ = try await shop.carts.changeDiscountCodes(adding: ["SANDBOX10"], for: session, in: shop.context)
        let result = try await shop.carts.logout(session, in: shop.context)
        let guest = try #require(result.guest)
        let copy = try #require(try await shop.carts.read(for: guest, in: shop.context))
        #expect(result.problem == nil && result.logout.problems.isEmpty && copy.identity == .guest)
        let state = try shop.state(copy.cart)
        #expect(state.quantities == [SandboxShop.mug: 2] && state.note == "ring twice")
        #expect(state.discountCodes == ["SANDBOX10"] && state.email == nil && state.addresses.isEmpty)
        #expect(copy.cart.id != cart.id)
        let old = try shop.state(cart)
        #expect(old.email == nil && old.phone == nil && old.addresses.isEmpty)
    }

    @Test("a logout gives the cart to a guest only if Shopify's response shows that the buyer left, else a copy")
    func detached() async throws {
        var policy = CartPolicy()
        policy.logout = .detach
        let shop = try await SandboxShop(policy: policy)
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(2), for: session, in: shop.context).cart
        let result = try await shop.carts.logout(session, in: shop.context)
        let guest = try #require(result.guest)
        #expect(try await shop.carts.read(for: guest, in: shop.context)?.cart.id == cart.id)
        #expect(try shop.state(cart).customerAccessToken == nil)

        let other = try await shop.login()
        let held = try await shop.carts.add(shop.mugs(), for: other, in: shop.context).cart
        shop.storefront.planFault(
            .editPayload { payload in
                guard var cart = payload["cart"]?.object, var buyer = cart["buyerIdentity"]?.object else { return }
                buyer["customer"] = .object(["id": .string("gid://shopify/Customer/1")])
                cart["buyerIdentity"] = .object(buyer)
                payload["cart"] = .object(cart)
            },
            on: .storefront
        )
        let stuck = try await shop.carts.logout(other, in: shop.context)
        let copy = try await shop.carts.read(for: try #require(stuck.guest), in: shop.context)
        #expect(copy?.cart.id != held.id && copy?.identity == .guest)
        await #expect(throws: IdentityError.self) { try await shop.sessions.session(other) }
    }

    @Test("a logout that drops the cart sends no request to the Storefront API")
    func dropped() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        shop.storefront.forgetRequests()
        let result = try await shop.carts.logout(session, mode: .drop)
        #expect(result.guest == nil && result.logout.problems.isEmpty && shop.storefront.requests.isEmpty)
    }

    @Test("several processes that create one session's cart at once leave one cart with all lines")
    func racingProcesses() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let processes = [shop.first, try await shop.process(), try await shop.process()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for process in processes {
                group.addTask {
                    _ = try await process.carts.add(shop.mugs(), for: session, in: shop.context)
                }
            }
            try await group.waitForAll()
        }
        let bound = try #require(try await shop.carts.read(for: session, in: shop.context))
        #expect(bound.cart.totalQuantity == 3)
        #expect(shop.storefront.cartStates.count { $0.customerAccessToken != nil } == 1)
    }
}
