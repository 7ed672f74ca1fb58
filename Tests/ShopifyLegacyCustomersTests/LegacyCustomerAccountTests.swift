import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyLegacyCustomers
import ShopifyStorefront
import StorefrontSandbox
import TestGuides
import Testing

@Suite("Legacy customer accounts")
struct LegacyCustomerAccountTests {
    @Test("the response to a forgotten password is the same for known and unknown addresses", .row("E4"))
    func recover() async throws {
        try await LegacyShop.with { shop in
            try await shop.provider.recover(email: LegacyShop.email, in: shop.context)
            try await shop.provider.recover(email: "nobody@example.com", in: shop.context)
            let requests = shop.sandbox.storefront.requests(to: .storefront)
            #expect(requests.count == 2)
            #expect(requests.allSatisfy { $0.header("shopify-storefront-buyer-ip") == "203.0.113.7" })
            shop.sandbox.storefront.planFault(.tooManyRequests(retryAfter: 30), on: .storefront)
            let error = await #expect(throws: IdentityError.self) {
                try await shop.provider.recover(email: LegacyShop.email, in: shop.context)
            }
            #expect(error?.kind == .retryLater)
        }
    }

    @Test(
        "a new password by e-mail signs in and revokes the old one, and the token in the e-mail works once",
        .row("E4")
    )
    func reset() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let mail = try #require(shop.sandbox.storefront.legacyMail(to: LegacyShop.email))
            let new = Secret("analytical engine")
            let url = try HTTPURL(mail.url)
            let tokens = try await shop.provider.reset(url: url, password: new, in: shop.context)
            #expect(tokens.buyer.subject == mail.customerID)
            let ended = await #expect(throws: IdentityError.self) {
                try await shop.sessions.refreshTokens(for: session)
            }
            #expect(ended?.kind == .signInAgain)
            _ = try await shop.signIn(new)
            let old = await #expect(throws: IdentityError.self) { try await shop.signIn() }
            #expect(old?.code == .passwordRefused)
            let again = await #expect(throws: IdentityError.self) {
                try await shop.provider.reset(url: url, password: new, in: shop.context)
            }
            #expect(again?.code == .legacyCustomerUserErrors)
            let second = try #require(shop.sandbox.storefront.legacyMail(to: LegacyShop.email))
            _ = try await shop.provider.reset(
                customer: second.customerID,
                resetToken: Secret(second.token),
                password: LegacyShop.password,
                in: shop.context
            )
            _ = try await shop.signIn()
        }
    }

    @Test("an account is created, and an inactive one is activated with its e-mail", .row("E1"))
    func activation() async throws {
        try await LegacyShop.with { shop in
            let input = LegacyCustomerCreateInput(email: "grace@example.com", password: Secret("compiler"))
            let id = try await shop.provider.create(input, in: shop.context)
            #expect(id != nil)
            let taken = await #expect(throws: IdentityError.self) {
                try await shop.provider.create(input, in: shop.context)
            }
            #expect((taken?.cause as? LegacyCustomerUserErrors)?.errors.first?.code == .taken)
            for way in [true, false] {
                let email = "waiting-\(way)@example.com"
                shop.sandbox.storefront.addLegacyCustomer(email: email, password: "not yet", isActive: false)
                let mail = try #require(shop.sandbox.storefront.legacyMail(to: email))
                let password = Secret("now it is")
                let tokens =
                    way
                    ? try await shop.provider.activate(
                        url: try HTTPURL(mail.url),
                        password: password,
                        in: shop.context
                    )
                    : try await shop.provider.activate(
                        customer: mail.customerID,
                        activationToken: Secret(mail.token),
                        password: password,
                        in: shop.context
                    )
                #expect(tokens.buyer.subject == mail.customerID)
                _ = try await shop.provider.signIn(email: email, password: password, in: shop.context)
            }
        }
    }

    @Test("after a password change the session has the new token, and other sessions end", .row("E8", "E9"))
    func passwordChange() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let other = try await shop.signIn()
            let old = try await shop.sessions.tokens(for: session).tokens.accessToken
            let account = shop.account(session)
            try await account.update(LegacyCustomerUpdateInput(password: .set(Secret("analytical engine"))))
            let new = try await shop.sessions.tokens(for: session).tokens.accessToken
            #expect(!new.isEqual(to: old))
            #expect(try await account.customer().legacyCustomer.email == LegacyShop.email)
            let error = await #expect(throws: IdentityError.self) {
                try await shop.sessions.refreshTokens(for: other)
            }
            #expect(error?.kind == .signInAgain)
        }
    }

    @Test("an update leaves unset fields unchanged, clears null fields, and requests no other token")
    func update() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let account = shop.account(session)
            let before = try await shop.sessions.tokens(for: session).tokens.accessToken
            var customer = try await account.update(LegacyCustomerUpdateInput(phone: .set("+14155550123")))
            #expect(customer.phone == "+14155550123")
            customer = try await account.update(LegacyCustomerUpdateInput(lastName: .set("King")))
            #expect(customer.phone == "+14155550123")
            #expect(customer.firstName == "Ada")
            customer = try await account.update(LegacyCustomerUpdateInput(phone: .null))
            #expect(customer.phone == nil)
            #expect(try await shop.sessions.tokens(for: session).tokens.accessToken.isEqual(to: before))
        }
    }

    @Test("addresses are added, changed, made the default and removed; orders are read", .row("E5"))
    func addresses() async throws {
        try await LegacyShop.with { shop in
            let account = shop.account(try await shop.signIn())
            let home = try await account.add(LegacyCustomerAddressInput(address1: .set("1 Way"), city: .set("London")))
            let work = try await account.add(LegacyCustomerAddressInput(city: .set("Paris")))
            #expect(try await account.update(address: home.id, .init(address1: .null)).address1 == nil)
            try await account.setDefaultAddress(work.id)
            try await account.remove(address: home.id)
            let customer = try await account.customer()
            #expect(customer.addresses.nodes.map(\.city) == ["Paris"])
            #expect(customer.orders.nodes.map(\.orderNumber) == [501])
            let error = await #expect(throws: IdentityError.self) { try await account.remove(address: home.id) }
            #expect((error?.cause as? LegacyCustomerUserErrors)?.errors.first?.code == .notFound)
        }
    }

    @Test("a change without result and user errors throws an error with Shopify's error as its cause")
    func errorBesideData() async throws {
        try await LegacyShop.with { shop in
            let account = shop.account(try await shop.signIn())
            let payload = #"{"customer":null,"customerAccessToken":null,"customerUserErrors":[]}"#
            let data = #""data":{"customerUpdate":\#(payload)}"#
            let denied = #"{"message":"x","path":["customerUpdate","customer"],"extensions":{"code":"ACCESS_DENIED"}}"#
            let errors = #""errors":[\#(denied)]"#
            for (body, code, cause) in [
                ("{\(data)}", IdentityError.Code.unexpectedResponse, IdentityError.Code?.none),
                ("{\(data),\(errors)}", .outcomeUnknown, .storefrontRefused),
            ] {
                shop.sandbox.storefront.planFault(.answer(status: 200, body: body), on: .storefront)
                let error = await #expect(throws: IdentityError.self) {
                    try await account.update(LegacyCustomerUpdateInput(firstName: .set("Ada")))
                }
                #expect(error?.code == code && (error?.cause as? IdentityError)?.code == cause)
            }
            let created = #""data":{"customerAddressCreate":{"customerAddress":null,"customerUserErrors":[]}}"#
            shop.sandbox.storefront.planFault(.answer(status: 200, body: "{\(created),\(errors)}"), on: .storefront)
            let error = await #expect(throws: IdentityError.self) {
                try await account.add(LegacyCustomerAddressInput(city: .set("London")))
            }
            #expect(error?.code == .outcomeUnknown && error?.message.contains("AddressCreate") == true)
        }
    }

    @Test("an address change with an error instead of a result throws an error with Shopify's code")
    func errorBesideAddress() async throws {
        try await LegacyShop.with { shop in
            let account = shop.account(try await shop.signIn())
            func plan(_ mutation: String, _ value: String) {
                let data = #""data":{"\#(mutation)":{"\#(value)":null,"customerUserErrors":[]}}"#
                let error = #"{"message":"x","path":["\#(mutation)"],"extensions":{"code":"ACCESS_DENIED"}}"#
                let body = #"{\#(data),"errors":[\#(error)]}"#
                shop.sandbox.storefront.planFault(.answer(status: 200, body: body), on: .storefront)
            }
            plan("customerAddressDelete", "deletedCustomerAddressId")
            let removed = await #expect(throws: IdentityError.self) { try await account.remove(address: "a") }
            #expect(removed?.code == .outcomeUnknown)
            #expect((removed?.cause as? IdentityError)?.code == .storefrontRefused)
            plan("customerDefaultAddressUpdate", "customer")
            let chosen = await #expect(throws: IdentityError.self) { try await account.setDefaultAddress("a") }
            #expect(chosen?.code == .storefrontRefused)
        }
    }

    @Test("the removal of an address has an unknown outcome after a lost response")
    func lostRemoval() async throws {
        try await LegacyShop.with { shop in
            let account = shop.account(try await shop.signIn())
            let home = try await account.add(LegacyCustomerAddressInput(city: .set("London")))
            shop.sandbox.storefront.planFault(.loseResponse, on: .storefront)
            let error = await #expect(throws: IdentityError.self) { try await account.remove(address: home.id) }
            #expect(error?.code == .outcomeUnknown)
            #expect(try await account.customer().addresses.nodes.isEmpty)
        }
    }
}
