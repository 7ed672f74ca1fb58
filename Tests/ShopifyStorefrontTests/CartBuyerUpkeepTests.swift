import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

/// What an attach, a checkout and a hand-over do to the buyer, the addresses and the country of a cart.
@Suite struct CartBuyerUpkeepTests {
    @Test("a checkout puts a contact on the cart again after the logout of another session removed it")
    func contactOfSharedCart() async throws {
        let shop = try await SandboxShop()
        let (carts, context) = (shop.carts, shop.context)
        let first = try await shop.login("bolt")
        let cart = try await carts.add(shop.mugs(), for: first, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.add(shop.mugs(), for: guest, in: context)
        let second = try await shop.login("bolt")
        _ = try await carts.mergeGuestCart(of: guest, into: second, merge: .intoCustomerCart, in: context)
        let updates = shop.count("cartBuyerIdentityUpdate")
        #expect(try await carts.checkout(for: second, in: context).identity == .contact)
        #expect(shop.count("cartBuyerIdentityUpdate") == updates)
        _ = try await shop.sessions.logout(first)
        #expect(try shop.state(cart).email == nil && shop.state(cart).addresses.isEmpty)
        let handoff = try await carts.checkout(for: second, in: context)
        #expect(handoff.identity == .contact && handoff.problem == nil)
        let state = try shop.state(cart)
        #expect(state.email == "ada@example.com" && state.phone != nil && state.addresses.count == 1)
    }

    @Test("an attach for a session without an identity keeps the addresses that the buyer entered")
    func addressesOfGuest() async throws {
        let shop = try await TestShop(.none) { call in
            let cart = String.cart(addresses: ["typed"])
            return call.field == "cart" ? .json(#"{"data":{"cart":\#(cart)}}"#) : .payload(call.field, cart: cart)
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        let absent = try await shop.sessions.beginGuest().id
        let merge = try await shop.carts.mergeGuestCart(of: absent, into: shop.session, in: shop.context)
        let carts = [try await shop.carts.attach(to: shop.session), try #require(merge.cart)]
        #expect(carts.allSatisfy { $0.identity == .guest && $0.cart.deliveryAddressIDs == ["typed"] })
        #expect(shop.storefront.fields == ["cartCreate", "cart", "cart"])
    }

    @Test("a cart that is adopted again as trusted gets the buyer")
    func trustedLater() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c1?key=k1"))
        _ = try await shop.carts.adopt(id, for: shop.session)
        #expect(try await shop.carts.attach(to: shop.session).problem?.code == .cartNotIssued)
        #expect(try await shop.carts.adopt(id, for: shop.session, isTrusted: true).identity == .guest)
        #expect(try await shop.carts.checkout(for: shop.session, in: shop.context).identity == .customer)
        // A later adoption without `isTrusted` does not remove the trust.
        _ = try await shop.carts.adopt(id, for: shop.session)
        #expect(try await shop.carts.attach(to: shop.session).problem == nil)
    }

    @Test("a call without a country gives the cart the country of the client's context, and a refresh keeps the cart's")
    func clientCountry() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        let client = try shop.storefront.client(clock: shop.clock, context: StorefrontContext(country: "CA"))
        let carts = CartAdapter(client: client, sessions: shop.sessions, store: shop.store)
        func country() -> JSONValue? { shop.storefront.calls.last?.identity?["countryCode"] }
        _ = try await carts.create(TestShop.lines, for: shop.session)
        #expect(country() == .string("CA"))
        _ = try await carts.checkout(for: shop.session, in: shop.context)
        #expect(country() == .string("US"))
        _ = try await shop.sessions.refreshTokens(for: shop.session)
        await shop.sessions.drain()
        #expect(shop.storefront.calls.last?.token == "token-2" && country() == nil)
        _ = try await carts.attach(to: shop.session)
        #expect(country() == .string("CA"))
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.create(TestShop.lines, for: guest)
        _ = try await carts.setNote("x", for: guest)
        #expect(shop.storefront.calls.last?.identity == ["countryCode": .string("CA")])
    }

    @Test("a merge gives an adopted cart the client's country instead of a contact's")
    func countryOfMerge() async throws {
        let shop = try await TestShop(.contact(CartIdentityTests.contact()), CartIdentityTests.shopify)
        let client = try shop.storefront.client(clock: shop.clock, context: StorefrontContext(country: "CA"))
        let carts = CartAdapter(client: client, sessions: shop.sessions, store: shop.store)
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.create(TestShop.lines, for: guest)
        #expect(try await carts.mergeGuestCart(of: guest, into: shop.session).outcome == .adopted)
        #expect(shop.storefront.calls.last { $0.identity != nil }?.identity?["countryCode"] == .string("CA"))
    }

    @Test("a merge without a country keeps the country of the buyer's cart")
    func keptCountry() async throws {
        for (merge, hasGuest) in [
            (CartPolicy.Merge.intoCustomerCart, true), (.preferCustomer, true), (.keepGuest, false),
        ] {
            let shop = try await TestShop(.customer) { call in
                // The fake shop uses the country as the id of a new cart.
                let id = call.variables["cartId"] ?? call.identity?["countryCode"]
                let cart = String.cart(id: id?.string ?? "none", customer: CartIdentityTests.customer)
                return call.field == "cart" ? .json(#"{"data":{"cart":\#(cart)}}"#) : .payload(call.field, cart: cart)
            }
            let client = try shop.storefront.client(clock: shop.clock, context: StorefrontContext(country: "CA"))
            let carts = CartAdapter(client: client, sessions: shop.sessions, store: shop.store)
            _ = try await carts.create(TestShop.lines, for: shop.session, in: StorefrontContext(country: "US"))
            let guest = try await shop.sessions.beginGuest().id
            if hasGuest { _ = try await carts.create(TestShop.lines, for: guest, in: StorefrontContext(country: "DE")) }
            shop.storefront.forget()
            let result = try await carts.mergeGuestCart(of: guest, into: shop.session, merge: merge)
            #expect(result.cart?.cart.id.rawValue == "US")
            #expect(shop.storefront.calls.compactMap { $0.identity?["countryCode"] } == [.string("US")])
        }
    }

    @Test("after a merge while the buyer's token cannot be refreshed, the cart has the problem")
    func mergeDuringOutage() async throws {
        let shop = try await TestShop(.none) { call in
            let cart = String.cart(id: call.variables["cartId"]?.string ?? "own")
            return call.field == "cart" ? .read(cart) : .payload(call.field, cart: cart)
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.storefront.now { call in
            let cart = String.cart(id: call.variables["cartId"]?.string ?? "guest")
            return call.field == "cart" ? .read(cart) : .payload(call.field, cart: cart)
        }
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.create(TestShop.lines, for: guest)
        shop.provider.become(.customer)
        shop.provider.fail(IdentityError(.retryLater, .providerUnavailable, "x", hint: "x"))
        shop.clock.advance(by: .seconds(3700))
        let merge = try await shop.carts.mergeGuestCart(of: guest, into: shop.session, merge: .intoCustomerCart)
        #expect(merge.outcome == .merged && merge.cart?.problem?.code == .providerUnavailable)
        #expect(merge.cart?.identity == .degraded(.providerUnavailable))
        shop.provider.fail(nil)
        #expect(try await shop.carts.attach(to: shop.session).problem?.code != .providerUnavailable)
    }

    @Test("a checkout, and a cart with a new id, keep the country of the cart if the call has none")
    func countryOfCheckout() async throws {
        for claim in [ClaimProvider.Claim.customer, .contact(CartIdentityTests.contact())] {
            let shop = try await TestShop(claim, CartIdentityTests.shopify)
            _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: StorefrontContext(country: "CA"))
            for isMoved in [false, true] {
                shop.storefront.forget()
                if isMoved {
                    shop.storefront.now { call in
                        .payload(call.field, cart: .cart(id: "new", customer: CartIdentityTests.customer))
                    }
                    _ = try await shop.carts.setNote("x", for: shop.session)
                } else {
                    _ = try await shop.carts.checkout(for: shop.session)
                }
                #expect(shop.storefront.calls.compactMap(\.identity).map { $0["countryCode"] } == [.string("CA")])
            }
        }
    }

    @Test(
        "a new cart whose response rejects the access token is the session's cart, and the problem names the rejection"
    )
    func rejectionWithCart() async throws {
        let shop = try await TestShop(.customer) { call in
            .payload(call.field, cart: .cart(id: "new"), userErrors: LoopbackResponse.tokenRefused)
        }
        let cart = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(cart.cart.id.rawValue == "new" && cart.identity == .degraded(.identityRejected))
        #expect(cart.problem?.code == .identityRejected)
    }

    @Test("a refresh that ends a problem puts a contact on the cart with the country of the cart, not of the contact")
    func countryOfRefresh() async throws {
        let shop = try await TestShop(.contact(CartIdentityTests.contact()), CartIdentityTests.shopify)
        shop.provider.fail(IdentityError(.retryLater, .providerUnavailable, "down"))
        shop.clock.advance(by: .seconds(4000))
        _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: StorefrontContext(country: "CA"))
        #expect(try await shop.carts.identityState(for: shop.session) == .degraded(.providerUnavailable))
        shop.provider.fail(nil)
        _ = try await shop.sessions.refreshTokens(for: shop.session)
        await shop.sessions.drain()
        let identity = shop.storefront.calls.last { $0.identity != nil }?.identity
        #expect(identity?["email"] == .string("ada@example.com") && identity?["countryCode"] == .string("CA"))
    }

    @Test(
        "a refresh after which the session has no identity for the cart removes buyer and address",
        arguments: [true, false]
    )
    func lostClaim(isContact: Bool) async throws {
        let claim = isContact ? ClaimProvider.Claim.contact(CartIdentityTests.contact()) : .customer
        let shop = try await TestShop(claim) { call in
            let addresses = call.field == "cartDeliveryAddressesRemove" ? [] : ["a1"]
            return .payload(call.field, cart: .cart(customer: call.token, addresses: addresses))
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.provider.become(.none)
        _ = try await shop.sessions.refreshTokens(for: shop.session)
        await shop.sessions.drain()
        #expect(shop.storefront.fields == ["cartCreate", "cartBuyerIdentityUpdate", "cartDeliveryAddressesRemove"])
        #expect(try await shop.carts.identityState(for: shop.session) == .guest)
    }

    @Test("a session that takes over a cart from another one does not take over the problem of that session")
    func problemOfOtherSession() async throws {
        let shop = try await SandboxShop()
        let device = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: device, in: shop.context).cart
        // Shopify refuses the token before the refresh and the token after the refresh.
        shop.storefront.refuseNext(code: "INVALID", field: ["buyerIdentity", "customerAccessToken"], times: 2)
        let attached = try await shop.carts.attach(to: device, in: shop.context)
        #expect(attached.identity == .degraded(.identityRejected))
        let (session, guest) = (try await shop.login(), try await shop.sessions.beginGuest().id)
        _ = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context)
        shop.clock.advance(by: .seconds(4000))
        shop.sandbox.shopify.planFault(.htmlPage(status: 500), on: .token, times: 20)
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(merge.outcome == .merged && merge.cart?.cart.id == cart.id && merge.cart?.problem != nil)
        guard case .customer = merge.cart?.identity else { throw IdentityError.noIdentity }
    }

    @Test(
        "a checkout puts back the address of a contact without e-mail and phone, but not one that the buyer removed",
        arguments: [false, true]
    )
    func addressOnly(removesAll: Bool) async throws {
        var contact = CartIdentityTests.contact()
        (contact.email, contact.phone) = (nil, nil)
        let shop = try await TestShop(.contact(contact)) { .payload($0.field, cart: .cart(addresses: ["a1"])) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        // The logout of another session with this cart has removed the address.
        shop.storefront.now { call in
            if call.field == "cart" { return .json(#"{"data":{"cart":\#(String.cart())}}"#) }
            let isReplacement = call.field == "cartDeliveryAddressesReplace"
            return .payload(call.field, cart: .cart(addresses: isReplacement ? ["a2"] : []))
        }
        shop.storefront.forget()
        let handoff = try await shop.carts.checkout(for: shop.session)
        #expect(handoff.identity == .contact && shop.storefront.fields.last == "cartDeliveryAddressesReplace")
        if removesAll {
            _ = try await shop.carts.removeAllDeliveryAddresses(for: shop.session)
        } else {
            try await shop.carts.removeDeliveryAddresses(["a2"], for: shop.session)
        }
        shop.storefront.forget()
        _ = try await shop.carts.checkout(for: shop.session)
        #expect(shop.storefront.fields == ["cart"])
    }

    @Test(
        "an attach or a checkout without an identity ends the report of an earlier failure",
        arguments: [false, true]
    )
    func endedProblem(isCheckout: Bool) async throws {
        let shop = try await TestShop(.none, CartIdentityTests.shopify)
        shop.provider.fail(IdentityError(.retryLater, .providerUnavailable, "down"))
        shop.clock.advance(by: .seconds(4000))
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(try await shop.carts.identityState(for: shop.session) == .degraded(.providerUnavailable))
        shop.provider.fail(nil)
        if isCheckout {
            #expect(try await shop.carts.checkout(for: shop.session).identity == .guest)
        } else {
            #expect(try await shop.carts.attach(to: shop.session).identity == .guest)
        }
        #expect(try await shop.carts.identityState(for: shop.session) == .guest)
    }

    @Test("an address field that is omitted is named, although Shopify also rejects one that cannot be omitted")
    func omittedField() async throws {
        let errors = ["countryCode", "zip"].map { name in
            #"{"code":"INVALID","field":["addresses","0","address","deliveryAddress","\#(name)"],"message":"x"}"#
        }
        let shop = try await TestShop(.none) { call in
            let hasZip = String(decoding: call.request.body, as: UTF8.self).contains(#""zip":"#)
            return .payload(call.field, userErrors: hasZip ? errors.joined(separator: ",") : "")
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        var contact = CartIdentityTests.contact()
        contact.addresses[0].postalCode = "94107"
        shop.provider.become(.contact(contact))
        let cart = try await shop.carts.attach(to: shop.session)
        #expect(cart.omitted == ["address.zip"] && cart.identity == .contact)
    }

    @Test("a logout without a country gives the copy the country of the cart")
    func countryOfCopy() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: StorefrontContext(country: "CA"))
        shop.storefront.forget()
        #expect(try await shop.carts.logout(shop.session, mode: .clone).guest != nil)
        let creation = shop.storefront.calls.first { $0.field == "cartCreate" }
        #expect(creation?.identity?["countryCode"] == .string("CA"))
    }

    @Test(
        "a logout hands the cart itself over only if the response can show that the customer was removed",
        arguments: [(StorefrontAuthentication.privateToken(Secret("shpat-private")), true), (.tokenless, false)]
    )
    func handOver(authentication: StorefrontAuthentication, isSame: Bool) async throws {
        let shop = try await TestShop(.customer, authentication: authentication) { call in
            let isCopy = call.field == "cartCreate" && call.token == nil
            let id = isCopy ? "copy" : call.variables["cartId"]?.string ?? "own"
            let cart = String.cart(id: id, customer: call.token.map { _ in CartIdentityTests.customer })
            return call.field == "cart" ? .json(#"{"data":{"cart":\#(cart)}}"#) : .payload(call.field, cart: cart)
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        let end = try await shop.carts.logout(shop.session, mode: .detach, in: shop.context)
        let guest = try #require(end.guest)
        let cart = try await shop.carts.read(for: guest)?.cart
        #expect(cart?.id.rawValue == (isSame ? "own" : "copy") && end.problem == nil)
    }
}
