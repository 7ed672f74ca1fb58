import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

/// A cart that takes the place of another one, and a failure on the way.
@Suite struct CartReplacementTests {
    @Test("if a guest's cart vanishes while a session adopts it, the session keeps its own cart with the buyer")
    func vanishedSource() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let own = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let guest = try await shop.sessions.beginGuest().id
        let gone = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context).cart.id.rawValue
        shop.storefront.planFault(
            .before { [storefront = shop.storefront] in
                guard let body = storefront.requests.last?.bodyText, body.contains("cartBuyerIdentityUpdate("),
                    body.contains(gone.suffix(32))
                else { return }
                storefront.removeCart(gone)
            },
            on: .storefront,
            times: .max
        )
        // The fault and the shop refer to each other, so the test must remove the fault.
        defer { shop.storefront.removeAllFaults() }
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: session, merge: .keepGuest, in: shop.context)
        #expect(merge.outcome == .nothingToMerge && merge.guest == nil)
        #expect(merge.cart?.cart.id == own.id && merge.cart?.problem == nil)
        #expect(try shop.state(own).customerAccessToken != nil)
        #expect(shop.events.kinds == [.gone])
    }

    @Test("a replacement that Shopify cannot create leaves the buyer on the session's cart")
    func failedCreation() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        _ = try await shop.carts.create(for: shop.session)
        let state = try await shop.carts.identityState(for: shop.session)
        shop.storefront.forget()
        shop.storefront.now { call in
            call.field == "cartCreate" ? .json("{}", status: 503) : await CartIdentityTests.shopify(call)
        }
        await #expect(throws: IdentityError.self) { try await shop.carts.create(for: shop.session) }
        #expect(shop.storefront.fields == ["cartCreate"])
        #expect(try await shop.carts.identityState(for: shop.session) == state)
    }

    @Test("if the buyer cannot be removed from the replaced cart, the session keeps it, the new one loses the buyer")
    func failedDetach() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        _ = try await shop.carts.create(for: shop.session)
        let old = try await shop.boundCart
        shop.storefront.now { call in
            if call.field == "cartCreate" { return .payload(call.field, cart: .cart(id: "new", customer: "c")) }
            let isOld = call.variables["cartId"]?.string == old
            return isOld ? .json("{}", status: 503) : .payload(call.field, cart: .cart(id: "new"))
        }
        await #expect(throws: IdentityError.self) { try await shop.carts.create(for: shop.session) }
        #expect(try await shop.boundCart == old)
        let last = shop.storefront.calls.last
        #expect(last?.variables["cartId"] == .string("new") && last?.identity?["customerAccessToken"] == .null)
    }

    @Test("if a new cart is not saved and keeps the buyer, because another process was faster, the error says so")
    func conflictAndFailedDetach() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        let other = CartAdapter(client: shop.carts.client, sessions: shop.sessions, store: shop.store)
        shop.storefront.now { [session = shop.session] call in
            if call.field == "cart" { return .read(.cart(id: "gid://shopify/Cart/other")) }
            guard call.field == "cartCreate" else { return .json("{}", status: 503) }
            _ = try? await other.adopt(#require(CartID(rawValue: "gid://shopify/Cart/other")), for: session)
            return .payload(call.field, cart: .cart(id: "new", customer: "c"))
        }
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.create(for: shop.session) }
        #expect(error?.code == .detachIncomplete && error?.hint?.hasPrefix("Try again.") == true)
    }

    @Test("if Shopify loses a new cart before it has all lines, the session keeps the cart that it had")
    func lostNewCart() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let own = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        shop.storefront.planFault(
            .before { [storefront = shop.storefront] in
                guard let body = storefront.requests.last?.bodyText, body.contains("cartLinesAdd(") else { return }
                for cart in storefront.cartStates where cart.id != own.id.rawValue { storefront.removeCart(cart.id) }
            },
            on: .storefront,
            times: .max
        )
        defer { shop.storefront.removeAllFaults() }
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.create(
                Array(repeating: shop.mugs()[0], count: 251),
                for: session,
                in: shop.context
            )
        }
        #expect(error?.code == .cartGone)
        #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.id == own.id)
        #expect(shop.events.kinds.isEmpty)
    }

    @Test("a new cart whose id Shopify changes before it has all lines becomes the session's cart, with the buyer")
    func movedNewCart() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        shop.storefront.planFault(.before {}, on: .storefront)
        shop.storefront.planFault(
            .before { [storefront = shop.storefront] in
                for cart in storefront.cartStates { _ = storefront.moveCart(cart.id) }
            },
            on: .storefront
        )
        let lines = Array(repeating: shop.mugs()[0], count: 251)
        let cart = try await shop.carts.create(lines, for: session, in: shop.context).cart
        let stored = try #require(try await shop.process().carts.read(for: session, in: shop.context)).cart
        #expect(stored.id == cart.id && stored.totalQuantity == 251)
        #expect(try shop.state(cart).customerAccessToken != nil)
        #expect(shop.events.kinds == [.moved])
    }

    @Test("if a new cart gets another id before it has all lines, the session keeps its cart until the buyer is off it")
    func movedReplacement() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        _ = try await shop.carts.create(for: shop.session)
        let old = try await shop.boundCart
        shop.storefront.now { call in
            if call.field == "cartCreate" { return .payload(call.field, cart: .cart(id: "new", customer: "c")) }
            let isOld = call.variables["cartId"]?.string == old
            return isOld
                ? .json("{}", status: 503) : .payload(call.field, cart: .cart(id: "moved", customer: call.token))
        }
        let lines = Array(repeating: TestShop.lines[0], count: 251)
        await #expect(throws: IdentityError.self) { try await shop.carts.create(lines, for: shop.session) }
        #expect(try await shop.boundCart == old)
        let last = shop.storefront.calls.last
        #expect(last?.variables["cartId"] == .string("moved") && last?.identity?["customerAccessToken"] == .null)
    }

    @Test("if the response to an update of the country has a new cart id, the buyer is put on that cart")
    func movedByCountry() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: shop.context)
        shop.storefront.forget()
        shop.storefront.now { call in
            guard call.field == "cartBuyerIdentityUpdate" else { return await CartIdentityTests.shopify(call) }
            return .payload(
                call.field,
                cart: .cart(id: "new", customer: call.token.map { _ in CartIdentityTests.customer })
            )
        }
        _ = try await shop.carts.setNote("x", for: shop.session, in: StorefrontContext(country: "CA"))
        #expect(shop.storefront.calls.map(\.token) == [nil, nil, "token-1"])
        #expect(shop.storefront.calls.last?.variables["cartId"] == .string("new"))
    }

    @Test("a read reports a new cart id without the buyer, and the next checkout puts the buyer on the cart")
    func movedBeforeRead() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let moved = try #require(shop.storefront.moveCart(cart.id.rawValue))
        let read = try #require(try await shop.carts.read(for: session, in: shop.context))
        #expect(read.cart.id.rawValue == moved && read.identity == .degraded(.identityMissing))
        #expect(shop.events.kinds == [.moved])
        #expect(try await shop.carts.checkout(for: session, in: shop.context).identity == .customer)
        #expect(try shop.state(read.cart).customerAccessToken != nil)
    }

    @Test("a creation is reported as interrupted only if Shopify may have created a cart")
    func interrupted() async throws {
        let unknown = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/99")
        let failures: [(SandboxFault?, [CartEvent.Kind])] = [
            (nil, []), (.storefrontThrottled, []), (.status(401), []), (.htmlPage(status: 502), [.interrupted]),
        ]
        for (fault, events) in failures {
            let shop = try await SandboxShop()
            let session = try await shop.login()
            if let fault { shop.storefront.planFault(fault, on: .storefront) }
            await #expect(throws: IdentityError.self) {
                try await shop.carts.add([unknown], for: session, in: shop.context)
            }
            #expect(try await shop.isBound(session) == !events.isEmpty)
            shop.clock.advance(by: .seconds(120))
            _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
            #expect(shop.events.kinds == events)
        }
    }

    @Test("a creation in place of a lost cart is reported as interrupted only if Shopify may have created a cart")
    func interruptedRecreation() async throws {
        let failures: [(SandboxFault, [CartEvent.Kind])] = [
            (.storefrontThrottled, [.gone, .recreated]), (.htmlPage(status: 502), [.gone, .interrupted, .recreated]),
        ]
        for (fault, events) in failures {
            var policy = CartPolicy()
            policy.gone = .recreate
            let shop = try await SandboxShop(policy: policy)
            let session = try await shop.login()
            let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
            shop.storefront.removeCart(cart.id.rawValue)
            shop.storefront.planFault(.before {}, on: .storefront)
            shop.storefront.planFault(fault, on: .storefront)
            await #expect(throws: IdentityError.self) { try await shop.carts.read(for: session, in: shop.context) }
            shop.clock.advance(by: .seconds(120))
            #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.totalQuantity == 1)
            #expect(shop.events.kinds == events)
        }
    }

    @Test("a creation whose cart Shopify lost before it had all lines is not reported as interrupted later")
    func lostFirstCart() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        shop.storefront.planFault(
            .before { [storefront = shop.storefront] in
                guard storefront.requests.last?.bodyText.contains("cartLinesAdd(") == true else { return }
                for cart in storefront.cartStates { storefront.removeCart(cart.id) }
            },
            on: .storefront,
            times: .max
        )
        let lines = Array(repeating: shop.mugs()[0], count: 251)
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(lines, for: session, in: shop.context)
        }
        shop.storefront.removeAllFaults()
        #expect(error?.code == .cartGone)
        #expect(try await !shop.isBound(session))
        shop.clock.advance(by: .seconds(120))
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(shop.events.kinds.isEmpty)
    }
}
