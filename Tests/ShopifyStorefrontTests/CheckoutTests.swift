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
    /// A shop whose checkout URL names the call that it came from.
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

    @Test("the checkout URL comes from the answer of the attach", .row("D12"))
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
        "a token with enough time left is attached again without a refresh, because only that shows whether it is valid"
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

    @Test("single sign-on is added to the query once")
    func silent() async throws {
        let shop = try await shop()
        let options = CheckoutOptions(singleSignOn: .silent)
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context, options: options)
        #expect(handoff.url.reveal().text == "https://shop.example/cart/c/c1?key=cartBuyerIdentityUpdate&sso=silent")
        shop.storefront.now {
            .payload($0.field, cart: .cart(customer: "c", url: "https://shop.example/c?sso=silent&key=k"))
        }
        let again = try await shop.carts.checkout(for: shop.session, in: shop.context, options: options)
        #expect(again.url.reveal().text == "https://shop.example/c?sso=silent&key=k")
    }

    @Test("a refused identity opens a guest checkout that says why")
    func refused() async throws {
        let shop = try await shop()
        shop.clock.advance(by: .seconds(3300))
        shop.storefront.now { .payload($0.field, userErrors: LoopbackResponse.tokenRefused) }
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .guest && handoff.problem?.code == .identityRejected)
        #expect(handoff.url.reveal().host == "shop.example")
    }

    @Test("when the provider has ended the session, the buyer is removed from the cart first")
    func endedSession() async throws {
        let shop = try await shop()
        shop.clock.advance(by: .seconds(4000))
        shop.provider.fail(IdentityError(.signInAgain, .invalidGrant, "over"))
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(shop.storefront.calls.first?.identity?["customerAccessToken"] == .null)
        #expect(handoff.identity == .guest && handoff.problem?.code == .sessionEnded)
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

    @Test("a contact's checkout is prefilled, and no token is ever sent")
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

    @Test(
        "a checkout URL that is not https is not handed out",
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
