import FoundationEssentials
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestGuides
import Testing

@Suite struct CartIdentityTests {
    static let customer = "gid://shopify/Customer/1"

    /// A correct Shopify: a token sets a customer, and null removes it.
    @Sendable static func shopify(_ call: FakeStorefront.Call) async -> LoopbackResponse {
        if call.field == "cart" { return .json(#"{"data":{"cart":\#(String.cart(customer: customer))}}"#) }
        return .payload(call.field, cart: .cart(customer: call.token.map { _ in customer }))
    }

    static func contact() -> BuyerContact {
        var address = PostalAddress()
        address.line1 = "1 Way"
        address.countryCode = "US"
        return BuyerContact(email: "ada@example.com", phone: "+14155550123", countryCode: "US", addresses: [address])
    }

    @Test("the identity is part of the call that creates the cart", .row("D1"))
    func createSignedIn() async throws {
        let shop = try await TestShop(.customer, Self.shopify)
        let cart = try await shop.carts.add(TestShop.lines, for: shop.session, in: shop.context)
        #expect(shop.storefront.fields == ["cartCreate"])
        let call = shop.storefront.calls[0]
        #expect(call.identity == ["customerAccessToken": .string("token-1"), "countryCode": .string("US")])
        #expect(call.request.header("Shopify-Storefront-Buyer-IP") == "203.0.113.7")
        #expect(cart.identity == .customer(until: shop.clock.now + 3600) && cart.problem == nil)
        #expect(try await shop.boundCart == "gid://shopify/Cart/c1?key=k1")
    }

    @Test("rejected lines are an error, and the call is not repeated without the identity")
    func refusedLines() async throws {
        let error = #"{"code":"INVALID","field":["input","lines","0","merchandiseId"],"message":"x"}"#
        let shop = try await TestShop(.contact(Self.contact())) {
            .payload($0.field, cart: "null", userErrors: error)
        }
        let thrown = await #expect(throws: IdentityError.self) {
            try await shop.carts.create(TestShop.lines, for: shop.session)
        }
        #expect(thrown?.code == .cartUserErrors && thrown?.kind == .rejected)
        #expect((thrown?.cause as? CartUserErrors)?.errors.first?.field.last == "merchandiseId")
        #expect(shop.storefront.calls.count == 1)
    }

    @Test("a token rejected as INVALID or without a code is refreshed once and tried again", arguments: [true, false])
    func refreshedOnce(hasCode: Bool) async throws {
        let refused = LoopbackResponse.tokenRefused
        let shop = try await TestShop(.customer) { call in
            if call.token == "token-1" {
                let errors = hasCode ? refused : refused.replacing(#""INVALID""#, with: "null")
                return .payload(call.field, cart: "null", userErrors: errors)
            }
            return await Self.shopify(call)
        }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(shop.storefront.calls.map(\.token) == ["token-1", "token-2"])
        #expect(shop.provider.refreshes == 1)
        #expect(cart.identity == .customer(until: shop.clock.now + 3600))
    }

    @Test("an error with another code at the field of the token starts no refresh")
    func otherCode() async throws {
        let error = LoopbackResponse.tokenRefused.replacing(#""INVALID""#, with: #""LESS_THAN""#)
        let shop = try await TestShop(.customer) { .payload($0.field, cart: "null", userErrors: error) }
        let thrown = await #expect(throws: IdentityError.self) {
            try await shop.carts.create(TestShop.lines, for: shop.session)
        }
        #expect(thrown?.code == .cartUserErrors)
        #expect(shop.provider.refreshes == 0)
    }

    @Test("a token that is rejected twice leads to a guest's cart with the reason")
    func refusedTwice() async throws {
        let shop = try await TestShop(.customer) { call in
            if call.token != nil {
                return .payload(call.field, cart: "null", userErrors: LoopbackResponse.tokenRefused)
            }
            return .payload(call.field)
        }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(cart.identity == .degraded(.identityRejected))
        #expect(cart.problem?.code == .identityRejected)
        #expect(try await shop.carts.identityState(for: shop.session) == .degraded(.identityRejected))
        // The notification of the refresh, which runs in the background, does not try the refused token again.
        await shop.sessions.drain()
        #expect(shop.storefront.calls.map(\.token) == ["token-1", "token-2", nil])
        #expect(shop.provider.refreshes == 1)
    }

    @Test("a rejected identity leaves the cart as it is and is reported, not thrown")
    func refusedAttach() async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.provider.become(.customer)
        shop.storefront.now { .payload($0.field, userErrors: LoopbackResponse.tokenRefused) }
        let cart = try await shop.carts.attach(to: shop.session)
        #expect(cart.identity == .degraded(.identityRejected) && cart.cart.totalQuantity == 1)
        #expect(shop.provider.refreshes == 1)
    }

    @Test("a token that is rejected right after its refresh is remembered, and later attempts do not refresh it again")
    func refusalRemembered() async throws {
        let shop = try await TestShop(.customer) { call in
            guard call.token != nil else { return .payload(call.field) }
            return .payload(call.field, cart: "null", userErrors: LoopbackResponse.tokenRefused)
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(shop.provider.refreshes == 1)
        shop.storefront.now { .payload($0.field, userErrors: LoopbackResponse.tokenRefused) }
        for _ in 0..<3 { #expect(try await shop.carts.attach(to: shop.session).problem?.code == .identityRejected) }
        #expect(shop.provider.refreshes == 1)
        // After five minutes one refresh is tried, and its refusal is remembered again.
        shop.clock.advance(by: .seconds(301))
        for _ in 0..<3 { _ = try await shop.carts.attach(to: shop.session) }
        #expect(shop.provider.refreshes == 2)
    }

    @Test(
        "a company location that the buyer may no longer use is removed from the cart, and the buyer stays",
        arguments: [
            #"{"code":"INVALID_COMPANY_LOCATION","field":["buyerIdentity","companyLocationId"],"message":"x"}"#,
            #"{"code":"BUYER_CANNOT_PURCHASE_FOR_COMPANY_LOCATION","field":["buyerIdentity"],"message":"x"}"#,
        ]
    )
    func lostCompanyLocation(error: String) async throws {
        let location = "gid://shopify/CompanyLocation/1"
        let shop = try await TestShop(.customer) { .payload($0.field, cart: .cart(customer: Self.customer)) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        _ = try await shop.carts.setCompanyLocation(location, for: shop.session)
        shop.storefront.forget()
        shop.storefront.now { call in
            guard call.identity?["companyLocationId"]?.string == nil else {
                return .payload(call.field, userErrors: error)
            }
            return .payload(call.field, cart: .cart(customer: Self.customer))
        }
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .customer && handoff.problem == nil)
        #expect(shop.storefront.calls.map { $0.identity?["companyLocationId"] } == [.string(location), .null])
        #expect(shop.storefront.calls.map(\.token) == ["token-1", "token-1"] && shop.provider.refreshes == 0)
        // The location is removed from the binding, so later attempts do not send it again.
        _ = try await shop.carts.attach(to: shop.session)
        #expect(shop.storefront.calls.count == 3 && shop.storefront.calls[2].identity?["companyLocationId"] == nil)
    }

    @Test(
        "a cart that is created again gets the company location, and a checkout reports a location that Shopify refuses",
        arguments: [false, true]
    )
    func recreatedCompanyLocation(isRefused: Bool) async throws {
        let location = "gid://shopify/CompanyLocation/1"
        var policy = CartPolicy()
        policy.gone = .recreate
        let shop = try await TestShop(.customer, policy: policy) {
            .payload($0.field, cart: .cart(id: "old", customer: Self.customer))
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        _ = try await shop.carts.setCompanyLocation(location, for: shop.session)
        shop.storefront.forget()
        shop.storefront.now { call in
            func refusal(_ code: String, _ field: String) -> LoopbackResponse {
                let error = #"{"code":"\#(code)","field":["\#(field)"],"message":"x"}"#
                return .payload(call.field, cart: "null", userErrors: error)
            }
            if call.variables["cartId"]?.string == "old" { return refusal("INVALID", "cartId") }
            if isRefused, call.identity?["companyLocationId"]?.string != nil {
                return refusal("INVALID_COMPANY_LOCATION", "companyLocationId")
            }
            return .payload(call.field, cart: .cart(id: "new", customer: Self.customer))
        }
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        let creation = shop.storefront.calls.first { $0.field == "cartCreate" }
        #expect(creation?.identity?["companyLocationId"] == .string(location))
        #expect(handoff.identity == .customer && handoff.omitted == (isRefused ? ["companyLocation"] : []))
    }

    @Test("a contact that takes the place of a customer removes the customer's token by an explicit null", .row("D11"))
    func contactAfterCustomer() async throws {
        let shop = try await TestShop(.customer, Self.shopify)
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.provider.become(.contact(BuyerContact(email: "ada@example.com")))
        shop.storefront.forget()
        let cart = try await shop.carts.attach(to: shop.session)
        #expect(shop.storefront.calls[0].identity?["customerAccessToken"] == .null)
        #expect(shop.storefront.calls[0].identity?["email"] == .string("ada@example.com"))
        #expect(cart.identity == .contact)
    }

    @Test("a token that Shopify accepts without a customer is detected")
    func silentlyMissing() async throws {
        let shop = try await TestShop(.customer) { .payload($0.field, cart: .cart(customer: nil)) }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(cart.identity == .degraded(.identityMissing))
    }

    @Test("a customer whom the token may not read counts as attached")
    func accessDenied() async throws {
        let denied =
            #"{"message":"Access denied","path":["cartCreate","cart","buyerIdentity","customer"],"extensions":{"code":"ACCESS_DENIED"}}"#
        let shop = try await TestShop(.customer) { .payload($0.field, cart: .cart(customer: nil), errors: denied) }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(cart.identity == .customer(until: shop.clock.now + 3600))
    }

    @Test("tokenless access does not read the customer")
    func tokenless() async throws {
        let shop = try await TestShop(.customer, authentication: .tokenless) { .payload($0.field) }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(shop.storefront.calls[0].variables["readsCustomer"] == .bool(false))
        #expect(cart.identity == .customer(until: shop.clock.now + 3600))
    }

    @Test("a refreshed token is attached again, and an unchanged one is not")
    func refresh() async throws {
        let shop = try await TestShop(.customer, Self.shopify)
        _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: shop.context)
        shop.storefront.forget()
        let session = try await shop.sessions.session(shop.session)
        try await shop.carts.sessionRefreshed(session)
        #expect(shop.storefront.calls.isEmpty)
        _ = try await shop.sessions.refreshTokens(for: shop.session)
        await shop.sessions.drain()
        #expect(shop.storefront.calls.map(\.token) == ["token-2"])
        #expect(shop.storefront.calls[0].request.header("Shopify-Storefront-Buyer-IP") == "203.0.113.7")
        try await shop.carts.sessionRefreshed(session)
        #expect(shop.storefront.calls.count == 1)
    }

    @Test(
        "detaching sends null for location, token, e-mail and phone, and removes all addresses; a remaining one is an error",
        .row("D11")
    )
    func detach() async throws {
        let shop = try await TestShop(.contact(Self.contact())) { .payload($0.field, cart: .cart(addresses: ["a1"])) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.storefront.forget()
        shop.storefront.now { call in
            .payload(
                call.field,
                cart: .cart(addresses: call.field == "cartDeliveryAddressesRemove" ? ["b"] : ["a1", "b"])
            )
        }
        let stuck = await #expect(throws: IdentityError.self) { try await shop.carts.detach(from: shop.session) }
        #expect(stuck?.code == .detachIncomplete)
        shop.storefront.forget()
        shop.storefront.now { call in
            .payload(
                call.field,
                cart: .cart(addresses: call.field == "cartDeliveryAddressesRemove" ? [] : ["a1", "b"])
            )
        }
        let cart = try await shop.carts.detach(from: shop.session)
        #expect(shop.storefront.fields == ["cartBuyerIdentityUpdate", "cartDeliveryAddressesRemove"])
        let body = String(decoding: shop.storefront.calls[0].request.body, as: UTF8.self)
        let nulls =
            #""buyerIdentity":{"companyLocationId":null,"customerAccessToken":null,"email":null,"phone":null}"#
        #expect(body.contains(nulls))
        #expect(shop.storefront.calls[1].variables["addressIds"] == .array([.string("a1"), .string("b")]))
        #expect(cart.identity == .guest && cart.cart.deliveryAddressIDs.isEmpty)
    }

    @Test("a logout removes the buyer from the cart, and reports a failure")
    func logout() async throws {
        for succeeds in [true, false] {
            let shop = try await TestShop(.customer, Self.shopify)
            _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: shop.context)
            shop.storefront.forget()
            if !succeeds { shop.storefront.now { _ in .json("{}", status: 503) } }
            let result = try await shop.sessions.logout(shop.session)
            #expect(shop.storefront.fields == ["cartBuyerIdentityUpdate"])
            #expect(shop.storefront.calls[0].identity?["customerAccessToken"] == .null)
            #expect(shop.storefront.calls[0].request.header("Shopify-Storefront-Buyer-IP") == "203.0.113.7")
            #expect(result.problems.map(\.code) == (succeeds ? [] : [.providerUnavailable]))
        }
    }

    @Test("a detach after which the customer or the e-mail address is still there is an error")
    func incompleteDetach() async throws {
        let prefilled = try await TestShop(.contact(Self.contact())) {
            .payload($0.field, cart: .cart(email: "ada@example.com"))
        }
        _ = try await prefilled.carts.create(TestShop.lines, for: prefilled.session)
        let error = await #expect(throws: IdentityError.self) {
            try await prefilled.carts.detach(from: prefilled.session)
        }
        #expect(error?.code == .detachIncomplete)
        let shop = try await TestShop(.customer) { .payload($0.field, cart: .cart(customer: Self.customer)) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        let result = try await shop.sessions.logout(shop.session)
        #expect(result.problems.map(\.code) == [.detachIncomplete])
    }
}
