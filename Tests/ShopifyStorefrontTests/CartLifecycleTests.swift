import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestDoubles
import TestGuides
import Testing

@Suite struct CartLifecycleTests {
    static let missing = #"{"code":"INVALID","field":["cartId"],"message":"Der Warenkorb existiert nicht."}"#

    @Test("warnings never fail a call and reach the caller")
    func warnings() async throws {
        let warning = #"{"code":"MERCHANDISE_NOT_ENOUGH_STOCK","message":"3 left","target":"l1"}"#
        let shop = try await TestShop(.none) { .payload($0.field, warnings: warning) }
        let cart = try await shop.carts.add(TestShop.lines, for: shop.session)
        #expect(cart.warnings.map(\.code) == [.merchandiseNotEnoughStock])
    }

    @Test("a cart that Shopify no longer has leads to its own error code, and the session forgets the cart")
    func gone() async throws {
        let answers: [@Sendable (FakeStorefront.Call) async -> LoopbackResponse] = [
            { .payload($0.field, cart: "null", userErrors: Self.missing) },
            { call in call.field == "cart" ? .json(#"{"data":{"cart":null}}"#) : .payload(call.field, cart: "null") },
        ]
        for answer in answers {
            let shop = try await TestShop(.none) { .payload($0.field) }
            _ = try await shop.carts.create(for: shop.session)
            shop.storefront.now(answer)
            let error = await #expect(throws: IdentityError.self) {
                try await shop.carts.setNote("x", for: shop.session)
            }
            #expect(error?.code == .cartGone && error?.kind == .rejected)
            #expect(try await shop.boundCart == nil)
            shop.storefront.now { .payload($0.field, cart: .cart(id: "gid://shopify/Cart/c2")) }
            _ = try await shop.carts.add(TestShop.lines, for: shop.session)
            #expect(try await shop.boundCart == "gid://shopify/Cart/c2")
        }
    }

    @Test("after an error that names no field, the cart is read, and forgotten only if Shopify no longer has it")
    func goneWithoutField() async throws {
        let rejected = #"{"code":"INVALID","field":null,"message":"Der Warenkorb existiert nicht."}"#
        let reads: [(LoopbackResponse, IdentityError.Code)] = [
            (.json(#"{"data":{"cart":null}}"#), .cartGone), (.read(.cart()), .cartUserErrors),
            (.json("{}", status: 503), .cartUserErrors),
        ]
        for (read, code) in reads {
            let shop = try await TestShop(.none) { .payload($0.field) }
            _ = try await shop.carts.create(for: shop.session)
            shop.storefront.forget()
            shop.storefront.now {
                $0.field == "cart" ? read : .payload($0.field, cart: "null", userErrors: rejected)
            }
            let error = await #expect(throws: IdentityError.self) {
                try await shop.carts.setNote("x", for: shop.session)
            }
            #expect(error?.code == code)
            #expect(try await (shop.boundCart == nil) == (code == .cartGone))
            #expect(shop.storefront.fields == ["cartNoteUpdate", "cart"])
        }
    }

    @Test("after a mutation without a result the cart is read, and the mutation is not repeated")
    func silentMutation() async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(for: shop.session)
        shop.storefront.forget()
        shop.storefront.now { call in
            call.field == "cart"
                ? .json(#"{"data":{"cart":\#(String.cart())}}"#)
                : .payload(call.field, cart: "null")
        }
        let cart = try await shop.carts.remove(lineIDs: ["l2"], for: shop.session)
        #expect(cart.cart.totalQuantity == 1)
        #expect(shop.storefront.fields == ["cartLinesRemove", "cart"])
    }

    @Test("a new cart id in a response is used")
    func newID() async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(for: shop.session)
        shop.storefront.now { .payload($0.field, cart: .cart(id: "gid://shopify/Cart/c9?key=k9")) }
        _ = try await shop.carts.add(TestShop.lines, for: shop.session)
        #expect(try await shop.boundCart == "gid://shopify/Cart/c9?key=k9")
    }

    @Test("lines are not added twice when the response is lost", .row("D7"))
    func lostResponse() async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(for: shop.session)
        shop.storefront.forget()
        shop.storefront.now { _ in .script([.reset]) }
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(TestShop.lines, for: shop.session)
        }
        #expect(error?.kind == .retryLater && error?.code == .outcomeUnknown)
        #expect(shop.storefront.fields.count { $0 == "cartLinesAdd" } == 1)
    }

    @Test("operations on one session run one after the other")
    func serialised() async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { _ = try await shop.carts.add(TestShop.lines, for: shop.session) }
            }
            try await group.waitForAll()
        }
        #expect(shop.storefront.fields == ["cartCreate"] + Array(repeating: "cartLinesAdd", count: 7))
    }

    @Test("a caller that is cancelled while waiting ends, and the others continue")
    func cancelledWaiter() async throws {
        let gate = Gate()
        let shop = try await TestShop(.none) { call in
            await gate.wait()
            return .payload(call.field)
        }
        let first = Task { try await shop.carts.add(TestShop.lines, for: shop.session) }
        while shop.storefront.calls.isEmpty { await Task.yield() }
        let second = Task { try await shop.carts.add(TestShop.lines, for: shop.session) }
        second.cancel()
        let error = await #expect(throws: IdentityError.self) { try await second.value }
        #expect(error?.kind == .cancelled)
        gate.open()
        _ = try await first.value
        #expect(shop.storefront.fields == ["cartCreate"])
    }

    @Test("when two processes create a cart at once, one is kept, and the buyer is removed from the other")
    func createRace() async throws {
        let shop = try await TestShop(.customer) { .payload($0.field, cart: .cart(id: "gid://shopify/Cart/winner")) }
        let client = try shop.storefront.client(clock: shop.clock)
        let other = CartAdapter(client: client, sessions: shop.sessions, store: shop.store)
        shop.storefront.now { call in
            shop.storefront.now { call in
                let id = call.field == "cartCreate" ? "winner" : call.variables["cartId"]?.string ?? ""
                return .payload(call.field, cart: .cart(id: id, customer: call.token.map { _ in "c" }))
            }
            _ = try? await other.create(for: shop.session)
            return .payload(call.field, cart: .cart(id: "loser", customer: "c"))
        }
        _ = try await shop.carts.add(TestShop.lines, for: shop.session)
        #expect(try await shop.boundCart == "winner")
        try #require(
            shop.storefront.fields == ["cartCreate", "cartCreate", "cartBuyerIdentityUpdate", "cartLinesAdd"]
        )
        let detached = shop.storefront.calls[2]
        #expect(detached.variables["cartId"] == .string("loser") && detached.identity?["customerAccessToken"] == .null)
    }

    @Test("a session that ends while its cart is created leaves no buyer on the cart")
    func logoutDuringCreate() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        shop.storefront.now { call in
            if call.field == "cartCreate" { _ = try? await shop.store.remove(shop.session) }
            return await CartIdentityTests.shopify(call)
        }
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.create(TestShop.lines, for: shop.session)
        }
        #expect(error?.code == .sessionUnknown)
        try #require(shop.storefront.fields == ["cartCreate", "cartBuyerIdentityUpdate"])
        #expect(shop.storefront.calls[1].identity?["customerAccessToken"] == .null)
    }

    @Test("a call for the cart of an unknown session fails without a request")
    func unknownSession() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        _ = try await shop.sessions.logout(shop.session)
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(TestShop.lines, for: shop.session)
        }
        #expect(error?.code == .sessionUnknown && shop.storefront.calls.isEmpty)
    }

    @Test("a cart from elsewhere becomes the session's only by adopt, as a guest's cart, and only if it exists")
    func adoption() async throws {
        let shop = try await TestShop(.customer) { _ in .json(#"{"data":{"cart":null}}"#) }
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/theirs?key=k"))
        await #expect(throws: IdentityError.self) { try await shop.carts.adopt(id, for: shop.session) }
        #expect(try await shop.boundCart == nil)
        shop.storefront.now { _ in
            .json(#"{"data":{"cart":\#(String.cart(id: "gid://shopify/Cart/theirs?key=k"))}}"#)
        }
        let cart = try await shop.carts.adopt(id, for: shop.session)
        #expect(cart.identity == .guest)
        #expect(try await shop.boundCart == id.rawValue)
    }

    @Test("the buyer is removed from a cart before the session refers to the new one")
    func replaced() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        _ = try await shop.carts.create(for: shop.session)
        _ = try await shop.carts.create(for: shop.session)
        try #require(shop.storefront.fields == ["cartCreate", "cartCreate", "cartBuyerIdentityUpdate"])
        #expect(shop.storefront.calls[2].identity?["customerAccessToken"] == .null)
    }

    @Test("another shop's cart is neither read nor detached")
    func otherShop() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        let payload = Secret(#"{"v":2,"cart":"x","identity":"customer"}"#)
        _ = try await shop.store.setAttachment("cart:other.example", to: payload, of: shop.session, expecting: nil)
        #expect(try await shop.carts.read(for: shop.session) == nil)
        #expect(try await shop.sessions.logout(shop.session).problems.isEmpty)
        #expect(shop.storefront.calls.isEmpty)
    }

    @Test("neither cart id nor token nor URL shows in what the adapter returns or throws")
    func redaction() async throws {
        let canary = SecretCanary()
        let (id, url) = (canary.plant("id"), canary.plant("url"))
        let shop = try await TestShop(.customer) { call in
            call.field == "cartLinesAdd"
                ? .json(#"{"errors":[{"message":"\#(id) is unknown"}]}"#)
                : .payload(
                    call.field,
                    cart: .cart(id: "gid://shopify/Cart/\(id)", customer: "c", url: "https://s.example/\(url)")
                )
        }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(TestShop.lines, for: shop.session)
        }
        #expect(canary.findings(in: cart).isEmpty)
        #expect(canary.findings(in: handoff).isEmpty)
        #expect(canary.findings(in: try #require(error)).isEmpty)
        #expect(canary.findings(in: shop.carts).isEmpty)
    }

    @Test("a cancellation between the parts of a new cart's lines keeps the cart")
    func cancelledCreation() async throws {
        let gate = Gate()
        let shop = try await TestShop(.none) { call in
            if call.field == "cartLinesAdd" { await gate.wait() }
            return call.field == "cart" ? .json(#"{"data":{"cart":\#(String.cart())}}"#) : .payload(call.field)
        }
        let lines = Array(repeating: TestShop.lines[0], count: 251)
        let creation = Task { try await shop.carts.add(lines, for: shop.session) }
        while !shop.storefront.fields.contains("cartLinesAdd") { await Task.yield() }
        creation.cancel()
        let error = await #expect(throws: IdentityError.self) { try await creation.value }
        gate.open()
        #expect(error?.kind == .cancelled)
        #expect(try await shop.carts.read(for: shop.session) != nil)
    }

    @Test("a cancellation between the parts of an addition keeps the new id that Shopify gave the cart")
    func cancelledAddition() async throws {
        let gate = Gate()
        let new = "gid://shopify/Cart/new"
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(for: shop.session)
        shop.storefront.now { call in
            if call.variables["cartId"]?.string == new { await gate.wait() }
            return .payload(call.field, cart: .cart(id: new))
        }
        let lines = Array(repeating: TestShop.lines[0], count: 251)
        let addition = Task { try await shop.carts.add(lines, for: shop.session) }
        while shop.storefront.fields.count(where: { $0 == "cartLinesAdd" }) < 2 { await Task.yield() }
        addition.cancel()
        let error = await #expect(throws: IdentityError.self) { try await addition.value }
        gate.open()
        #expect(error?.kind == .cancelled)
        #expect(try await shop.boundCart == new)
    }

    @Test("forgetting the cart of a completed order sends no request to Shopify")
    func forget() async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(for: shop.session)
        try await shop.carts.forget(for: shop.session)
        try await shop.carts.forget(for: shop.session)
        #expect(try await shop.boundCart == nil)
        #expect(shop.storefront.fields == ["cartCreate"])
    }
}
