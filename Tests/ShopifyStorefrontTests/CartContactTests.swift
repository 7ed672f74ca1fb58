import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestGuides
import Testing

@Suite("The contact of a cart")
struct CartContactTests {
    @Test("a contact is prefilled without any token, and a phone that is not E.164 is dropped", .row("D2"))
    func createContact() async throws {
        var contact = CartIdentityTests.contact()
        contact.phone = "555-0123"
        let shop = try await TestShop(.contact(contact)) { .payload($0.field, cart: .cart(addresses: ["a1"])) }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        let input = shop.storefront.calls[0].variables["input"]
        #expect(
            input?["buyerIdentity"] == .object(["email": .string("ada@example.com"), "countryCode": .string("US")])
        )
        let address = input?["delivery"]?["addresses"]?.array?.first
        #expect(address?["oneTimeUse"] == .bool(true) && address?["selected"] == .bool(true))
        #expect(address?["validationStrategy"] == .string("COUNTRY_CODE_ONLY"))
        #expect(cart.identity == .contact && cart.omitted == ["phone"])
    }

    @Test("rejected parts of a contact are omitted, and the cart is created without them")
    func reducedContact() async throws {
        let shop = try await TestShop(.contact(CartIdentityTests.contact())) { call in
            let input = call.variables["input"]
            if input?["delivery"] != nil {
                let error = #"{"code":"INVALID","field":["input","delivery","addresses","0"],"message":""}"#
                return .payload("cartCreate", cart: "null", userErrors: error)
            }
            if input?["buyerIdentity"]?["phone"] != nil {
                return .payload("cartCreate", cart: "null", userErrors: #"{"code":null,"field":null,"message":""}"#)
            }
            return .payload("cartCreate")
        }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(shop.storefront.calls.count == 3)
        #expect(cart.omitted == ["phone", "address"] && cart.identity == .contact)
        #expect(shop.storefront.calls[2].identity?["email"] == .string("ada@example.com"))
    }

    @Test(
        "if Shopify rejects a field of the address and then the whole address, only the address is listed as omitted",
        arguments: [true, false]
    )
    func rejectedAddress(isNewCart: Bool) async throws {
        var contact = CartIdentityTests.contact()
        contact.addresses[0].postalCode = "94107"
        let shop = try await TestShop(isNewCart ? .contact(contact) : .none) { call in
            let body = String(decoding: call.request.body, as: UTF8.self)
            guard body.contains(#""deliveryAddress":"#) else { return .payload(call.field) }
            let name = body.contains(#""zip":"#) ? "zip" : "countryCode"
            let path = #""addresses","0","address","deliveryAddress","\#(name)""#
            let error = #"{"code":"INVALID","field":[\#(path)],"message":""}"#
            return .payload(call.field, cart: "null", userErrors: error)
        }
        var cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        if !isNewCart {
            shop.provider.become(.contact(contact))
            cart = try await shop.carts.attach(to: shop.session)
        }
        #expect(cart.omitted == ["address"] && cart.identity == .contact)
    }

    /// A Shopify that rejects every document with the country code XX.
    private static func hasXX(_ call: FakeStorefront.Call) -> Bool {
        String(decoding: call.request.body, as: UTF8.self).contains(#""XX""#)
    }

    @Sendable private static func withoutXX(_ call: FakeStorefront.Call) async -> LoopbackResponse {
        guard hasXX(call) else { return .payload(call.field) }
        return .json(#"{"errors":[{"message":"x","extensions":{"code":"INVALID_VARIABLE"}}]}"#)
    }

    private static func contactWithUnknownCountry() -> BuyerContact {
        var contact = CartIdentityTests.contact()
        contact.countryCode = "XX"
        contact.addresses[0].countryCode = "XX"
        return contact
    }

    @Test("a new cart omits a contact's unknown country code, and keeps the valid phone number and e-mail")
    func unknownCountryOfNewCart() async throws {
        let shop = try await TestShop(.contact(Self.contactWithUnknownCountry()), Self.withoutXX)
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(shop.storefront.fields == ["cartCreate", "cartCreate", "cartCreate"])
        #expect(cart.omitted == ["country", "address"] && cart.identity == .contact)
        #expect(
            shop.storefront.calls.last?.identity == [
                "email": .string("ada@example.com"), "phone": .string("+14155550123"),
            ]
        )
    }

    @Test("an attach omits a contact's unknown country code, and keeps the valid phone number and e-mail")
    func unknownCountryOfAttach() async throws {
        let shop = try await TestShop(.none, Self.withoutXX)
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.provider.become(.contact(Self.contactWithUnknownCountry()))
        shop.storefront.forget()
        let cart = try await shop.carts.attach(to: shop.session)
        #expect(
            shop.storefront.fields
                == ["cartBuyerIdentityUpdate", "cartBuyerIdentityUpdate", "cartDeliveryAddressesReplace"]
        )
        #expect(cart.omitted == ["country", "address"] && cart.identity == .contact)
        #expect(
            shop.storefront.calls[1].identity == [
                "customerAccessToken": .null, "email": .string("ada@example.com"),
                "phone": .string("+14155550123"),
            ]
        )
    }

    @Test("a country that Shopify refuses is sent only once, and used for no later request about the cart")
    func refusedCountry() async throws {
        var contact = Self.contactWithUnknownCountry()
        contact.phone = nil
        let shop = try await TestShop(.contact(contact)) { call in
            let accepted = LoopbackResponse.read(.cart(email: "ada@example.com"))
            return await call.field == "cart" && !Self.hasXX(call) ? accepted : Self.withoutXX(call)
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.storefront.forget()
        #expect(try await shop.carts.checkout(for: shop.session).identity == .contact)
        #expect(shop.storefront.fields == ["cart"])
        let end = try await shop.carts.logout(shop.session, mode: .clone)
        #expect(end.guest != nil && end.problem == nil)
    }

    @Test("a country of a call that Shopify refuses with a user error is sent only once")
    func refusedCountryOfCall() async throws {
        let shop = try await TestShop(.none) { call in
            if call.field == "cart" { return .read(.cart()) }
            let error = #"{"code":"INVALID","field":["buyerIdentity","countryCode"],"message":""}"#
            return .payload(call.field, userErrors: call.field == "cartBuyerIdentityUpdate" ? error : "")
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.storefront.forget()
        for _ in 1...2 {
            let cart = try await shop.carts.setNote("x", for: shop.session, in: StorefrontContext(country: "CA"))
            #expect(cart.omitted == ["country"])
        }
        _ = try await shop.carts.checkout(for: shop.session, in: StorefrontContext(country: "CA"))
        #expect(shop.storefront.fields == ["cartNoteUpdate", "cartBuyerIdentityUpdate", "cartNoteUpdate", "cart"])
    }

    @Test("a refused country is sent alone again after Shopify has accepted it with the identity")
    func refusedCountryAcceptedLater() async throws {
        let shop = try await TestShop(.none) { call in
            let error = #"{"code":"INVALID","field":["buyerIdentity","countryCode"],"message":""}"#
            return .payload(call.field, userErrors: call.field == "cartBuyerIdentityUpdate" ? error : "")
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        let (canada, states) = (StorefrontContext(country: "CA"), StorefrontContext(country: "US"))
        #expect(try await shop.carts.setNote("x", for: shop.session, in: canada).omitted == ["country"])
        shop.storefront.now { .payload($0.field, cart: .cart(email: "ada@example.com")) }
        var contact = CartIdentityTests.contact()
        (contact.phone, contact.addresses) = (nil, [])
        shop.provider.become(.contact(contact))
        #expect(try await shop.carts.attach(to: shop.session, in: canada).identity == .contact)
        _ = try await shop.carts.setNote("x", for: shop.session, in: states)
        #expect(try await shop.carts.setNote("x", for: shop.session, in: canada).omitted.isEmpty)
        #expect(shop.storefront.calls.last?.identity == ["countryCode": .string("CA")])
    }

    @Test("a refused country is listed once, also if the cart's lines are sent in several requests")
    func refusedCountryOfManyLines() async throws {
        let shop = try await TestShop(.none) { call in
            guard call.identity?["countryCode"] != nil else { return .payload(call.field) }
            let error = #"{"code":"INVALID","field":["input","buyerIdentity","countryCode"],"message":""}"#
            return .payload(call.field, cart: "null", userErrors: error)
        }
        let lines = Array(repeating: TestShop.lines[0], count: 251)
        let cart = try await shop.carts.create(lines, for: shop.session, in: StorefrontContext(country: "CA"))
        #expect(cart.omitted == ["country"])
        #expect(shop.storefront.fields == ["cartCreate", "cartCreate", "cartLinesAdd", "cartBuyerIdentityUpdate"])
    }

    @Test(
        "a country that was omitted because an error named no part of the identity is sent once more, alone",
        arguments: [1, 251]
    )
    func countryOmittedByGuess(count: Int) async throws {
        var contact = CartIdentityTests.contact()
        (contact.phone, contact.addresses) = (nil, [])
        let shop = try await TestShop(.contact(contact)) { call in
            if call.field == "cart" { return .read(.cart()) }
            let isRefused = call.identity?["email"]?.string != nil
            let error = #"{"code":"INVALID","field":null,"message":""}"#
            return .payload(call.field, cart: isRefused ? "null" : .cart(), userErrors: isRefused ? error : "")
        }
        let context = StorefrontContext(country: "CA")
        let lines = Array(repeating: TestShop.lines[0], count: count)
        let created = try await shop.carts.create(lines, for: shop.session, in: context)
        // More than 250 lines need a second request, after which the country is set.
        #expect(created.omitted.contains("country") == (count <= 250))
        let cart = try await shop.carts.setNote("x", for: shop.session, in: context)
        #expect(!cart.omitted.contains("country"))
        let updates = shop.storefront.calls.filter { $0.field == "cartBuyerIdentityUpdate" }
        #expect(updates.map(\.identity) == [["countryCode": .string("CA")]])
    }

    @Test("a cart that gets a new id with the address has the buyer again only after the next checkout")
    func movedWithAddress() async throws {
        let shop = try await TestShop(.contact(CartIdentityTests.contact())) { call in
            let isMoved = call.field == "cartDeliveryAddressesReplace"
            let cart = String.cart(id: isMoved ? "new" : "old", email: isMoved ? nil : "ada@example.com")
            return call.field == "cart" ? .read(cart) : .payload(call.field, cart: cart)
        }
        let id = try #require(CartID(rawValue: "old"))
        _ = try await shop.carts.adopt(id, for: shop.session, isTrusted: true)
        #expect(try await shop.carts.attach(to: shop.session).identity == .degraded(.identityMissing))
        shop.storefront.forget()
        _ = try await shop.carts.checkout(for: shop.session)
        #expect(shop.storefront.fields.first == "cartBuyerIdentityUpdate")
    }

    @Test("an address that the buyer entered is not replaced by the provider's")
    func typedAddress() async throws {
        let shop = try await TestShop(.contact(CartIdentityTests.contact())) {
            .payload($0.field, cart: .cart(addresses: ["typed"]))
        }
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c1?key=k1"))
        shop.storefront.now { call in
            let cart = String.cart(addresses: ["typed"])
            return call.field == "cart" ? .json(#"{"data":{"cart":\#(cart)}}"#) : .payload(call.field, cart: cart)
        }
        _ = try await shop.carts.adopt(id, for: shop.session, isTrusted: true)
        _ = try await shop.carts.attach(to: shop.session)
        #expect(shop.storefront.fields == ["cart", "cartBuyerIdentityUpdate"])
    }

    @Test("a checkout does not put back an address that the buyer removed, except after a change of the contact")
    func removedAddress() async throws {
        let shop = try await TestShop(.contact(CartIdentityTests.contact())) { call in
            let hasAddress = ["cartCreate", "cartDeliveryAddressesReplace"].contains(call.field)
            let cart = String.cart(email: "ada@example.com", addresses: hasAddress ? ["a1"] : [])
            return call.field == "cart" ? .read(cart) : .payload(call.field, cart: cart)
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: shop.context)
        try await shop.carts.removeDeliveryAddresses(["a1"], for: shop.session, in: shop.context)
        shop.storefront.forget()
        _ = try await shop.carts.checkout(for: shop.session, in: StorefrontContext(country: "CA"))
        #expect(shop.storefront.fields == ["cartBuyerIdentityUpdate"])
        shop.storefront.now { .payload($0.field, cart: .cart(id: "new", email: "ada@example.com")) }
        _ = try await shop.carts.setNote("n", for: shop.session, in: shop.context)
        #expect(!shop.storefront.fields.contains("cartDeliveryAddressesReplace"))
        var contact = CartIdentityTests.contact()
        contact.addresses[0].line1 = "2 Way"
        shop.provider.become(.contact(contact))
        _ = try await shop.carts.checkout(for: shop.session, in: StorefrontContext(country: "CA"))
        #expect(shop.storefront.fields.last == "cartDeliveryAddressesReplace")
    }

    @Test("a contact's checkout and a guest's attach remove a customer whom another session put on the cart")
    func customerOnAdoptedCart() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let other = try await shop.login()
        let cart = try await carts.add(shop.mugs(), for: other, in: context).cart
        let session = try await shop.login("bolt")
        _ = try await carts.adopt(cart.id, for: session, isTrusted: true, in: context)
        // The first checkout puts the contact on the cart. Before the second, the contact is there already.
        for _ in 1...2 {
            #expect(try shop.state(cart).customerAccessToken != nil)
            let handoff = try await carts.checkout(for: session, in: context)
            #expect(handoff.identity == .contact && handoff.problem == nil)
            let state = try shop.state(cart)
            #expect(state.customerAccessToken == nil && state.email == "ada@example.com")
            _ = try await carts.attach(to: other, in: context)
        }
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.adopt(cart.id, for: guest, isTrusted: true, in: context)
        #expect(try await carts.attach(to: guest, in: context).identity == .guest)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }

    @Test("a contact's checkout fails if Shopify keeps a customer of another session on the cart")
    func remainingCustomer() async throws {
        let shop = try await TestShop(.contact(BuyerContact(email: "ada@example.com"))) { call in
            let cart = String.cart(customer: CartIdentityTests.customer)
            return call.field == "cart" ? .read(cart) : .payload(call.field, cart: cart)
        }
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c1?key=k1"))
        _ = try await shop.carts.adopt(id, for: shop.session, isTrusted: true)
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.checkout(for: shop.session) }
        #expect(error?.code == .detachIncomplete)
    }
}
