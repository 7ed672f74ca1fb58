import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestGuides
import Testing

@Suite struct CheckoutTests {
    /// A shop whose checkout URL contains the name of the call that returned it.
    private func shop(_ claim: ClaimProvider.Claim = .customer) async throws -> TestShop {
        let shop = try await TestShop(claim) { call in
            let url = "https://shop.example/cart/c/c1?key=\(call.field)"
            if call.field == "cart" {
                let cart = String.cart(customer: CartIdentityTests.customer, url: url)
                return .json(#"{"data":{"cart":\#(cart)}}"#)
            }
            return .payload(
                call.field,
                cart: .cart(customer: call.token.map { _ in CartIdentityTests.customer }, url: url)
            )
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session, in: shop.context)
        shop.storefront.forget()
        return shop
    }

    @Test("the checkout URL is taken from the response of the identity update", .row("D12"))
    func fromAttach() async throws {
        let shop = try await shop()
        shop.clock.advance(by: .seconds(3300))
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(shop.provider.refreshes == 1)
        #expect(shop.storefront.calls.first?.token == "token-2")
        #expect(handoff.url.reveal().query == "key=cartBuyerIdentityUpdate")
        #expect(handoff.identity == .customer && handoff.problem == nil)
        #expect(handoff.issuedAt == shop.clock.now)
    }

    @Test(
        "a token with enough time left is attached again before checkout, because only Shopify's response shows that it is valid"
    )
    func attachedAgain() async throws {
        let shop = try await shop()
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(shop.storefront.fields == ["cartBuyerIdentityUpdate"] && handoff.identity == .customer)
        #expect(shop.storefront.calls[0].token == "token-1" && shop.provider.refreshes == 0)
        #expect(shop.storefront.calls[0].request.header("Shopify-Storefront-Buyer-IP") == "203.0.113.7")
    }

    @Test("a customer who does not appear on the cart is not reported as attached")
    func vanishedCustomer() async throws {
        let shop = try await shop()
        shop.storefront.now { .payload($0.field, cart: .cart(customer: nil)) }
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .guest && handoff.problem?.code == .identityMissing)
    }

    @Test("sso=silent is added to the checkout URL only once")
    func silent() async throws {
        let shop = try await TestShop(.none) { call in
            call.field == "cart" ? .json(#"{"data":{"cart":\#(String.cart())}}"#) : .payload(call.field)
        }
        _ = try await shop.carts.create(for: shop.session)
        let options = CheckoutOptions(singleSignOn: .silent)
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context, options: options)
        #expect(handoff.url.reveal().query?.hasSuffix("&sso=silent") == true && handoff.usesBrowserSession)
        #expect(handoff.identity == .guest)
        shop.storefront.now { _ in
            .json(#"{"data":{"cart":\#(String.cart(url: "https://shop.example/c?sso=silent&key=k"))}}"#)
        }
        let again = try await shop.carts.checkout(for: shop.session, in: shop.context, options: options)
        #expect(again.url.reveal().text == "https://shop.example/c?sso=silent&key=k")
    }

    @Test("sso=silent is not added for a cart with a buyer, because another buyer may be signed in in the browser")
    func silentBesideBuyer() async throws {
        let options = CheckoutOptions(singleSignOn: .silent)
        let customer = try await shop()
        let contact = try await TestShop(.contact(BuyerContact(email: "ada@example.com"))) { call in
            call.field == "cart" ? .json(#"{"data":{"cart":\#(String.cart())}}"#) : .payload(call.field)
        }
        _ = try await contact.carts.create(for: contact.session)
        for shop in [customer, contact] {
            let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context, options: options)
            #expect(!handoff.usesBrowserSession && !handoff.url.reveal().text.contains("sso="))
            #expect(handoff.identity != .guest)
        }
        // The token cannot be refreshed now, and the buyer is still on the cart.
        customer.clock.advance(by: .seconds(4000))
        customer.provider.fail(IdentityError(.retryLater, .providerUnavailable, "down"))
        let handoff = try await customer.carts.checkout(for: customer.session, in: customer.context, options: options)
        #expect(!handoff.usesBrowserSession && handoff.problem?.code == .providerUnavailable)
        // After the session's end the cart is a guest's.
        customer.provider.fail(IdentityError(.signInAgain, .invalidGrant, "over"))
        customer.clock.advance(by: .seconds(60))
        let guest = try await customer.carts.checkout(for: customer.session, in: customer.context, options: options)
        #expect(guest.usesBrowserSession && guest.identity == .guest)
    }

    @Test("sso=silent is not added for a cart whose id came from the browser")
    func silentOnUntrusted() async throws {
        let shop = try await TestShop(.none) { call in
            call.field == "cart" ? .json(#"{"data":{"cart":\#(String.cart())}}"#) : .payload(call.field)
        }
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c1?key=k1"))
        _ = try await shop.carts.adopt(id, for: shop.session, isTrusted: false)
        let options = CheckoutOptions(singleSignOn: .silent)
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context, options: options)
        #expect(!handoff.usesBrowserSession && !handoff.url.reveal().text.contains("sso="))
    }

    @Test("a refused identity opens a guest checkout with the reason")
    func refused() async throws {
        let shop = try await shop()
        shop.clock.advance(by: .seconds(3300))
        shop.storefront.now { .payload($0.field, userErrors: LoopbackResponse.tokenRefused) }
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .guest && handoff.problem?.code == .identityRejected)
        #expect(handoff.url.reveal().host == "shop.example")
    }

    @Test("if the provider has ended the session, checkout first removes the buyer from the cart")
    func endedSession() async throws {
        let shop = try await shop()
        shop.clock.advance(by: .seconds(4000))
        shop.provider.fail(IdentityError(.signInAgain, .invalidGrant, "over"))
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(shop.storefront.calls.first?.identity?["customerAccessToken"] == .null)
        #expect(handoff.identity == .guest && handoff.problem?.code == .sessionEnded)
    }

    @Test("if a refresh may have returned another buyer's tokens, checkout first removes the buyer from the cart")
    func suspectedAttack() async throws {
        let shop = try await shop()
        shop.clock.advance(by: .seconds(4000))
        shop.provider.fail(IdentityError(.rejected, .idTokenSubject, "another buyer", isAttackSuspected: true))
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(shop.storefront.calls.first?.identity?["customerAccessToken"] == .null)
        #expect(handoff.identity == .guest && handoff.problem?.code == .idTokenSubject)
    }

    @Test("an outage of the provider does not change the cart and is reported")
    func outage() async throws {
        let shop = try await shop()
        shop.clock.advance(by: .seconds(4000))
        shop.provider.fail(IdentityError(.retryLater, .providerUnavailable, "down"))
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(shop.storefront.fields == ["cart"])
        #expect(handoff.identity == .guest && handoff.problem?.code == .providerUnavailable)
    }

    @Test("a contact's checkout is prefilled, and the access token is not sent to Shopify")
    func contact() async throws {
        let shop = try await TestShop(.contact(BuyerContact(email: "ada@example.com"))) { call in
            call.field == "cart" ? .json(#"{"data":{"cart":\#(String.cart())}}"#) : .payload(call.field)
        }
        _ = try await shop.carts.create(for: shop.session)
        let handoff = try await shop.carts.checkout(for: shop.session)
        #expect(handoff.identity == .contact && handoff.problem == nil)
        for call in shop.storefront.calls {
            #expect(!String(decoding: call.request.body, as: UTF8.self).contains("token-1"))
        }
    }

    @Test("a contact's checkout of a cart whose id came from the browser says that nothing was attached")
    func contactOnUntrusted() async throws {
        let shop = try await TestShop(.contact(BuyerContact(email: "ada@example.com"))) { call in
            call.field == "cart" ? .json(#"{"data":{"cart":\#(String.cart())}}"#) : .payload(call.field)
        }
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c1?key=k1"))
        _ = try await shop.carts.adopt(id, for: shop.session, isTrusted: false)
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .guest && handoff.problem?.code == .cartNotIssued)
        #expect(!shop.storefront.fields.contains("cartBuyerIdentityUpdate"))
    }

    @Test("if Shopify rejects the country of a guest's checkout, the handoff lists the country as omitted")
    func refusedCountry() async throws {
        let shop = try await TestShop(.none) { call in
            switch call.field {
            case "cart": .json(#"{"data":{"cart":\#(String.cart())}}"#)
            case "cartBuyerIdentityUpdate": .payload(call.field, userErrors: LoopbackResponse.tokenRefused)
            default: .payload(call.field)
            }
        }
        _ = try await shop.carts.create(for: shop.session)
        let handoff = try await shop.carts.checkout(for: shop.session, in: StorefrontContext(country: "CA"))
        #expect(handoff.omitted == ["country"])
    }

    @Test("a guest's checkout has the country of the call")
    func guestCountry() async throws {
        let shop = try await SandboxShop()
        let (guest, cart) = try await shop.guestWithMug()
        let context = StorefrontContext(buyerIP: SandboxShop.ip, country: "CA", language: "EN")
        let handoff = try await shop.carts.checkout(for: guest, in: context)
        #expect(handoff.identity == .guest && handoff.cart.buyerIdentity.countryCode == "CA")
        #expect(try shop.state(cart).countryCode == "CA")
    }

    @Test(
        "a checkout URL that is not https is not returned",
        arguments: ["http://shop.example/c", "javascript:alert(1)"]
    )
    func unsafeURL(url: String) async throws {
        let shop = try await shop()
        shop.storefront.now { .payload($0.field, cart: .cart(customer: "c", url: url)) }
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.checkout(for: shop.session, in: shop.context)
        }
        #expect(error?.code == .unexpectedResponse)
    }

    @Test("checkout without a cart is an error")
    func noCart() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.checkout(for: shop.session) }
        #expect(error?.code == .cartMissing && shop.storefront.calls.isEmpty)
    }
}
