import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySQLite
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import Synchronization
import TestGuides
import Testing

@testable import ShopifyStorefront

/// Lost identities, lost responses, and secrets that must not appear in errors and events.
extension CartFailureModesTests {
    @Test(
        "16: if Shopify accepts a token but the cart has no customer, this is reported, and the next checkout repairs it"
    )
    func swallowedToken() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        shop.storefront.swallowNextTokens()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(cart.identity == .degraded(.identityMissing))
        #expect(try await shop.carts.checkout(for: session, in: shop.context).identity == .customer)
    }

    @Test("18: discount codes that tasks and processes add at the same time are all kept", .row("D8"))
    func discountRace() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let other = try await shop.process()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, carts) in [shop.carts, other.carts, shop.carts].enumerated() {
                group.addTask {
                    for _ in 0..<20 {
                        do {
                            _ = try await carts.changeDiscountCodes(adding: ["C\(index)"], for: session)
                            return
                        } catch let error as IdentityError where error.code == .cartBusy { continue }
                    }
                    throw IdentityError(
                        .retryLater,
                        .cartBusy,
                        "The discount code could not be added: the cart stayed busy."
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(try shop.state(cart).discountCodes.sorted() == ["C0", "C1", "C2"])
        let left = try await shop.carts.changeDiscountCodes(adding: ["X"], removing: ["C1"], for: session)
        #expect(left.cart.discountCodes.map(\.code).sorted() == ["C0", "C2", "X"])
    }

    @Test("19: a company location that the buyer may not buy for is an error, and the buyer stays on the cart")
    func companyLocation() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        for location in ["gid://shopify/CompanyLocation/9", "gid://shopify/CompanyLocation/404"] {
            let error = await #expect(throws: IdentityError.self) {
                try await shop.carts.setCompanyLocation(location, for: session, in: shop.context)
            }
            #expect(error?.code == .cartUserErrors)
        }
        #expect(try shop.state(cart).customerAccessToken != nil && shop.state(cart).companyLocationID == nil)
        let good = "gid://shopify/CompanyLocation/1"
        _ = try await shop.carts.setCompanyLocation(good, for: session, in: shop.context)
        _ = try await shop.sessions.refreshTokens(for: session)
        await shop.sessions.drain()
        #expect(try shop.state(cart).companyLocationID == good)
        // The location also goes to a new cart that Shopify returns.
        let moved = try #require(shop.storefront.moveCart(cart.id.rawValue))
        let without = try await shop.carts.setCompanyLocation(nil, for: session, in: shop.context)
        #expect(without.cart.id.rawValue == moved)
        #expect(try shop.state(without.cart).customerAccessToken != nil)
        #expect(try shop.state(without.cart).companyLocationID == nil)
        let guest = try await shop.guestWithMug().guest
        await #expect(throws: IdentityError.self) { try await shop.carts.setCompanyLocation(good, for: guest) }
    }

    @Test("20: a call for another country changes only the country in the cart's buyer identity")
    func country() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        shop.storefront.forgetRequests()
        var context = shop.context
        context.country = "CA"
        let moved = try await shop.carts.add(shop.mugs(), for: session, in: context)
        #expect(moved.cart.buyerIdentity.countryCode == "CA" && moved.omitted.isEmpty)
        let state = try shop.state(cart)
        #expect(state.countryCode == "CA" && state.customerAccessToken != nil && state.quantities[SandboxShop.mug] == 2)
        let body = try #require(shop.storefront.requests.last?.bodyText)
        #expect(body.contains(#""buyerIdentity":{"countryCode":"CA"}"#))
        _ = try await shop.carts.add(shop.mugs(), for: session, in: context)
        #expect(shop.storefront.requests.count == 3)
    }

    @Test(
        "21: parts of Bolt's contact and address that Shopify refuses are omitted field by field and reported, and the cart is created"
    )
    func boltContact() async throws {
        let shop = try await SandboxShop { settings in
            settings.buyers[0].phone = "555-0123"
        }
        let session = try await shop.login("bolt")
        shop.storefront.refuseNext(
            code: "INVALID_ZIP_CODE_FOR_COUNTRY",
            field: ["input", "delivery", "addresses", "0", "address", "deliveryAddress", "zip"]
        )
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(cart.identity == .contact && cart.cart.totalQuantity == 1)
        #expect(cart.omitted == ["address.zip"])
        let state = try shop.state(cart.cart)
        #expect(state.email == "ada@example.com" && state.phone == nil)
        #expect(state.addresses == ["1 Analytical Way, San Francisco, US"])
    }

    @Test("22: empty fields of a contact or an address are never sent")
    func emptyTexts() async throws {
        let shop = try await SandboxShop { settings in
            settings.buyers[0].phone = ""
            settings.buyers[0].addresses[0].street2 = ""
            settings.buyers[0].addresses[0].regionCode = ""
        }
        let session = try await shop.login("bolt")
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(cart.identity == .contact && cart.omitted.isEmpty)
        var typed = PostalAddress()
        typed.line1 = "2 Way"
        typed.line2 = ""
        typed.familyName = ""
        typed.countryCode = "US"
        _ = try await shop.carts.addDeliveryAddresses([CartSelectableAddressInput(typed)], for: session)
        for request in shop.storefront.requests { #expect(!request.bodyText.contains(#":"""#)) }
        #expect(try shop.state(cart.cart).addresses.count == 2)
    }

    @Test(
        "23: HTTP 430 without the buyer's IP is reported and not repeated at once, and with the IP the buyer gets on the cart"
    )
    func missingBuyerIP() async throws {
        let shop = try await SandboxShop(storefront: { $0.rejectsIdentityWithoutBuyerIP = true })
        let session = try await shop.login()
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.add(shop.mugs(), for: session) }
        #expect(error?.code == .securityRejection && error?.kind == .retryLater)
        #expect(error?.hint?.contains("buyerIP") == true)
        #expect(shop.storefront.requests.count <= 2)
        shop.clock.advance(by: .seconds(600))
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        guard case .customer = cart.identity else { throw cart.problem ?? IdentityError.noIdentity }
    }

    @Test("a merge at a sign-in sends the IP of the guest's last call, or of the cart's last call")
    func buyerIPOfMerge() async throws {
        let shop = try await SandboxShop(storefront: { $0.rejectsIdentityWithoutBuyerIP = true })
        let guest = try await shop.sessions.beginGuest().id
        let cart = try await shop.carts.add(shop.mugs(), for: guest, in: shop.context).cart.id
        let session = try await shop.login()
        #expect(try await shop.carts.mergeCart(ofGuest: guest, into: session))
        guard case .customer? = try await shop.carts.read(for: session)?.identity else {
            throw IdentityError.noIdentity
        }

        let other = try await shop.login()
        _ = try await shop.carts.adopt(cart, for: other, isTrusted: true, in: shop.context)
        // The guest is gone, and the session's own cart gets the identity.
        #expect(try await shop.carts.mergeCart(ofGuest: guest, into: other))
        guard case .customer? = try await shop.carts.read(for: other)?.identity else {
            throw IdentityError.noIdentity
        }
    }

    @Test("24: a response from another API version than the requested one is used")
    func fallForward() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        shop.storefront.planFault(.header("X-Shopify-API-Version", "2027-01"), on: .storefront, times: 2)
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let handoff = try await shop.carts.checkout(for: session, in: shop.context)
        #expect(handoff.identity == .customer && handoff.cart.id == cart.cart.id)
    }

    @Test("25: adding sso=silent to a checkout URL does not change its key")
    func checkoutKey() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let plain = try await shop.carts.checkout(for: session, in: shop.context)
        let options = CheckoutOptions(singleSignOn: .silent)
        let silent = try await shop.carts.checkout(for: session, in: shop.context, options: options)
        func key(_ handoff: CheckoutHandoff) -> Substring? {
            handoff.url.reveal().query?.split(separator: "&").first { $0.hasPrefix("key=") }
        }
        #expect(key(plain) != nil && key(plain) == key(silent))
        #expect(silent.url.reveal().query?.hasSuffix("&sso=silent") == true)
        let request = HTTPRequest(method: .get, url: silent.url.reveal(), allowsLoopbackHTTP: true)
        #expect(try await CurlTransport().send(request).status == 200)
    }

    @Test("26: no error, description, event or dump shows a token, a cart id or a URL")
    func redaction() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let handoff = try await shop.carts.checkout(for: session, in: shop.context)
        let guest = try await shop.guestWithMug().guest
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        let token = try await shop.sessions.tokens(for: session).tokens.accessToken.reveal()
        shop.storefront.planFault(
            .answer(status: 200, body: #"{"errors":[{"message":"\#(cart.cart.id.rawValue) \#(token)"}]}"#),
            on: .storefront
        )
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.setNote("x", for: session) }
        let others = try await shop.carts.otherCarts(ofBuyerOf: try await shop.login())
        #expect(others.count == 1)
        var text = ""
        for value: Any in [
            cart, handoff, merge, error as Any, others, shop.events.kinds, shop.carts, shop.carts.policy,
        ] {
            dump(value, to: &text)
            text += "\(value)" + String(reflecting: value)
        }
        for secret in [token, cart.cart.id.rawValue, handoff.url.reveal().text, SandboxShop.ip] {
            #expect(!text.contains(secret))
        }
    }

    @Test(
        "27: after a crash before a new cart was saved, the next process reports it and creates another cart"
    )
    func crash() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        // This is the row of a process that was killed while it created the cart.
        let pending = Secret(#"{"v":2,"pending":\#(Int(shop.clock.now.timeIntervalSince1970 * 1000))}"#)
        #expect(try await shop.first.store.setAttachment(TestShop.row, to: pending, of: session, expecting: nil))
        shop.clock.advance(by: .seconds(120))
        let cart = try await shop.process().carts.add(shop.mugs(), for: session, in: shop.context)
        guard case .customer = cart.identity else { throw cart.problem ?? IdentityError.noIdentity }
        #expect(shop.events.kinds == [.interrupted])

        // The store fails after the response: the new cart belongs to no session, and the session is unchanged.
        let second = try await shop.login()
        shop.first.attachments.fail(after: 1)
        await #expect(throws: IdentityError.self) {
            try await shop.carts.add(shop.mugs(), for: second, in: shop.context)
        }
        let orphans = shop.storefront.cartStates.filter { $0.id != cart.cart.id.rawValue }
        #expect(orphans.count == 1 && orphans.allSatisfy { $0.customerAccessToken == nil })

        // The store refuses all writes: no cart is created.
        shop.first.attachments.fail(after: 0)
        let third = try await shop.login()
        await #expect(throws: IdentityError.self) {
            try await shop.carts.add(shop.mugs(), for: third, in: shop.context)
        }
        #expect(shop.storefront.cartStates.count == 2)
        shop.first.attachments.fail(after: nil)
        #expect(try await shop.carts.add(shop.mugs(), for: third, in: shop.context).cart.totalQuantity == 1)
    }

    @Test("30: a token that has expired only by our clock does not sign out a buyer whom Shopify has just confirmed")
    func clockSkew() async throws {
        let shop = try await TestShop(.expired) { call in
            if call.field == "cart" { return .json(#"{"data":{"cart":\#(String.cart(customer: "c"))}}"#) }
            return .payload(call.field, cart: .cart(customer: call.token.map { _ in "c" }))
        }
        let cart = try await shop.carts.add(TestShop.lines, for: shop.session, in: shop.context)
        #expect(cart.identity == .customer(until: nil))
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .customer && handoff.problem == nil)
    }
}
