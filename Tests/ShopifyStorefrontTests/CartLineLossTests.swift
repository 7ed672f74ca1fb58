import FoundationEssentials
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import Synchronization
import TestDoubles
import Testing

@testable import ShopifyStorefront

/// Lines that are neither lost nor added twice when a cart is copied, created again, moved, or changed by several processes.
@Suite struct CartLineLossTests {
    @Test("a logout's copy has the lines that Shopify accepts, and the result says that one is missing")
    func refusedLineOfCopy() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let shirt = CartLineInput(merchandiseID: SandboxShop.shirt)
        _ = try await shop.carts.add(shop.mugs(2) + [shirt], for: session, in: shop.context)
        shop.storefront.refuseNext(code: "INVALID", field: ["input", "lines", "0", "merchandiseId"])
        let end = try await shop.carts.logout(session, mode: .clone, in: shop.context)
        #expect(try shop.state(try await shop.visitorCart(end)).quantities == [SandboxShop.shirt: 1])
        #expect(end.problem?.code == .cartUserErrors)
    }

    @Test("a logout leaves no empty copy when Shopify rejects all lines, and still removes the buyer from the cart")
    func refusedCopy() async throws {
        var policy = CartPolicy()
        policy.logout = .drop
        let shop = try await SandboxShop(policy: policy)
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(2), for: session, in: shop.context).cart
        shop.storefront.refuseNext(code: "INVALID", field: ["input", "lines"])
        let end = try await shop.carts.logout(session, mode: .clone, in: shop.context)
        #expect(end.guest == nil && end.problem?.code == .cartUserErrors)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }

    @Test("a logout's copy of a cart that has only a discount code has the code")
    func copyOfCode() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.create(for: session, in: shop.context)
        _ = try await shop.carts.changeDiscountCodes(adding: ["SANDBOX10"], for: session, in: shop.context)
        let end = try await shop.carts.logout(session, mode: .clone, in: shop.context)
        #expect(try shop.state(try await shop.visitorCart(end)).discountCodes == ["SANDBOX10"] && end.problem == nil)
    }

    @Test("a lost cart of more than 250 lines is created again with the first 250")
    func recreatedPage() async throws {
        var policy = CartPolicy()
        policy.gone = .recreate
        let variants = (1...300).map { number in
            SandboxStorefrontConfiguration.Variant(
                id: "gid://shopify/ProductVariant/\(number)",
                product: "P",
                title: "T\(number)",
                price: 100
            )
        }
        let shop = try await SandboxShop(policy: policy, storefront: { $0.variants = variants })
        let session = try await shop.login()
        let lines = variants.map { CartLineInput(merchandiseID: $0.id) }
        let cart = try await shop.carts.add(lines, for: session, in: shop.context).cart
        shop.storefront.removeCart(cart.id.rawValue)
        #expect(try await shop.carts.lines(for: session).map(\.merchandiseID) == lines.prefix(250).map(\.merchandiseID))
        #expect(shop.events.kinds == [.gone, .recreated])
    }

    @Test("a repeated merge adds no line again when the buyer's cart has got a new id after a partial merge")
    func repeatedMergeAfterMove() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let session = try await shop.login()
        let own = try await carts.create(for: session, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.add([CartLineInput(merchandiseID: SandboxShop.shirt)] + shop.mugs(), for: guest)
        shop.storefront.refuseLines(SandboxShop.mug, after: SandboxShop.shirt)
        for _ in 1...2 {
            let merge = try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context)
            let cart = try #require(merge.cart?.cart)
            #expect(try merge.outcome == .partial && shop.state(cart).quantities == [SandboxShop.shirt: 1])
            shop.storefront.moveCart(own.id.rawValue)
        }
    }

    @Test("a merge into another buyer's cart adds what an earlier merge has added to the first buyer's")
    func mergeIntoAnotherBuyersCart() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.add([CartLineInput(merchandiseID: SandboxShop.shirt)] + shop.mugs(), for: guest)
        shop.storefront.refuseLines(SandboxShop.mug, after: SandboxShop.shirt)
        for buyer in ["ada@example.com", "grace@example.com"] {
            let session = try await shop.login(as: buyer)
            _ = try await carts.create(for: session, in: context)
            let merge = try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context)
            let cart = try #require(merge.cart?.cart)
            #expect(try merge.outcome == .partial && shop.state(cart).quantities == [SandboxShop.shirt: 1])
        }
    }

    @Test("a merge into a third cart does not make a repeated merge into the first one add its lines again")
    func repeatedMergeAfterOthers() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.add([CartLineInput(merchandiseID: SandboxShop.shirt)] + shop.mugs(), for: guest)
        shop.storefront.refuseLines(SandboxShop.mug, after: SandboxShop.shirt)
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        for session in [ada, grace, ada, grace] {
            if try await !shop.isBound(session) { _ = try await carts.create(for: session, in: context) }
            let merge = try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: context)
            let cart = try #require(merge.cart?.cart)
            #expect(try merge.outcome == .partial && shop.state(cart).quantities == [SandboxShop.shirt: 1])
        }
    }

    @Test(
        "a merge adds a line that another process adds to the guest's cart, also if an equal line was merged or bought before",
        arguments: [false, true]
    )
    func equalLines(isAddedByBuyer: Bool) async throws {
        let state = Mutex((additions: 0, guestReads: 0))
        let shop = try await TestShop(.none) { call in
            let id = call.variables["cartId"]?.string ?? "guest"
            let (additions, guestReads) = state.withLock { state in
                if call.field == "cartLinesAdd" { state.additions += 1 }
                if call.field == "cart", id == "guest" { state.guestReads += 1 }
                return state
            }
            // The second line is added to the guest's cart after the first was merged. Nothing that the SDK reads tells the two apart.
            // The buyer's line is added before the merge reads the guest's cart for the third time, to find the second line.
            let own = additions + (isAddedByBuyer && guestReads > 2 ? 1 : 0)
            let lines = id == "guest" ? min(additions, 1) + 1 : own
            let cart = String.cart(id: id, lines: Array(repeating: .line(), count: lines))
            return call.field == "cart" ? .read(cart) : .payload(call.field, cart: cart)
        }
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.create(TestShop.lines, for: guest)
        _ = try await shop.carts.adopt(#require(CartID(rawValue: "own")), for: shop.session, isTrusted: true)
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: shop.session, merge: .intoCustomerCart)
        #expect(merge.outcome == .merged && merge.shortLines.isEmpty)
        let additionCalls = shop.storefront.calls.filter { $0.field == "cartLinesAdd" }
        #expect(additionCalls.map { $0.variables["lines"]?.array?.count } == [1, 1])
    }

    @Test("after a lost response, what another process has added in the last minute does not count as added here")
    func additionOfOtherProcess() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        shop.clock.advance(by: .seconds(60))
        _ = try await shop.process().carts.add(shop.mugs(2), for: session, in: shop.context)
        shop.storefront.planFault(.htmlPage(status: 502), on: .storefront)
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(shop.mugs(2), for: session, in: shop.context)
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(try shop.state(cart).quantities == [SandboxShop.mug: 3])
    }

    @Test("of more than 1,000 carts, the lines of those that this process saw last stay known for a lost response")
    func manyCarts() throws {
        let (cache, start) = (CartLineCache(), Date(timeIntervalSince1970: 0))
        func see(_ number: Int, after seconds: Double) throws {
            let json = String.cart(id: "cart\(number)")
            let cart = try Cart(GraphQLNode(parsing: Array(json.utf8)))
            cache.record(cart, showsLines: true, at: start + seconds)
        }
        func known(_ numbers: [Int]) throws -> [Int] {
            try numbers.filter {
                try cache.lines(of: #require(CartID(rawValue: "cart\($0)")), at: start + 3) != nil
            }
        }
        for number in 0..<1_000 { try see(number, after: Double(number) / 1_000) }
        try see(0, after: 2)
        #expect(try known(Array(0..<1_000)).count == 1_000)
        try see(1_000, after: 3)
        #expect(try known([0, 1, 2, 999, 1_000]) == [0, 2, 999, 1_000])
    }

    @Test("an addition that Shopify has made succeeds, although the store cannot be written afterwards")
    func unsavedAddition() async throws {
        var policy = CartPolicy()
        policy.gone = .recreate
        let shop = try await SandboxShop(policy: policy)
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        shop.first.attachments.fail(after: 0)
        let added = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        shop.first.attachments.fail(after: nil)
        #expect(added.totalQuantity == 2)
        #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.totalQuantity == 2)
    }

    @Test(
        "with the policy recreate, two processes that find the same cart gone create one new cart",
        .timeLimit(.minutes(5))
    )
    func recreatedOnce() async throws {
        var policy = CartPolicy()
        policy.gone = .recreate
        let shop = try await SandboxShop(policy: policy)
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(3), for: session, in: shop.context).cart
        shop.storefront.removeCart(cart.id.rawValue)
        let other = try await shop.process()
        let gate = try await shop.holdNextRequest(of: "cartCreate(")
        let first = Task { try await shop.carts.read(for: session, in: shop.context) }
        await shop.requestArrives(of: "cartCreate(")
        let second = await shop.start {
            try await other.carts.read(for: session, in: shop.context)
        } until: {
            other.attachments.requestedLocks.contains(.attachment(TestShop.row + " recreation", of: session))
        }
        gate.open()
        let (new, found) = (try #require(try await first.value).cart, try #require(try await second.value).cart)
        #expect(new.id == found.id && new.totalQuantity == 3)
        #expect(shop.storefront.requests.count { $0.bodyText.contains("cartCreate(") } == 1)
        #expect(shop.events.kinds == [.gone, .recreated])
    }
}
