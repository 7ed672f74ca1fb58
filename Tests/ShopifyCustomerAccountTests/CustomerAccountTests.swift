import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyCustomerAccount
import ShopifyGraphQL
import StorefrontSandbox
import TestGuides
import Testing

@Suite("Customer accounts")
struct CustomerAccountTests {
    @Test("the profile is read with the raw token, at the discovered address, in the requested version", .row("E6"))
    func profile() async throws {
        try await Shop.with { shop in
            let profile = try await shop.account.profile()
            #expect(profile.firstName == "Ada")
            #expect(profile.emailAddress?.emailAddress == SandboxBuyerAccount.ada.email)
            #expect(profile.defaultAddress?.territoryCode == "US")
            let request = try #require(shop.sandbox.shopify.requests(to: .api).last)
            #expect(request.path.hasSuffix("/customer/api/2026-04/graphql"))
            #expect(request.header("authorization")?.hasPrefix("shcat_") == true)
            let requests = shop.sandbox.shopify.requests + shop.sandbox.storefront.requests
            let names = Set(requests.map { $0.header("User-Agent") ?? "none" })
            #expect(names.filter { !$0.hasPrefix("SandboxBuyer") } == ["IdentityKit/0.1"])
        }
    }

    @Test("every generated operation runs against the sandbox")
    func everyOperation() async throws {
        try await Shop.with { shop in
            let account = shop.account
            shop.sandbox.customers.addOrders(1_001...1_001, for: SandboxBuyerAccount.ada.email)
            _ = try await account.profile()
            _ = try await account.update(CustomerProfileInput(firstName: .set("Augusta")))
            let address = try await account.add(CustomerAddressInput(city: .set("London"), territoryCode: .set("GB")))
            let other = try await account.add(CustomerAddressInput(city: .set("Paris"), territoryCode: .set("FR")))
            _ = try await account.setDefaultAddress(other.id)
            for try await _ in account.addresses() {}
            try await account.remove(address: address.id)
            var order: String?
            for try await page in account.orders() { order = page.first?.id }
            #expect(try await account.order(try #require(order)) != nil)
            let bodies = shop.sandbox.shopify.requests.map(\.bodyText)
            #expect(try GeneratedOperations.missing(in: "ShopifyCustomerAccount", from: bodies) == [])
        }
    }

    @Test("an update leaves unset fields unchanged, clears null fields, and sets fields with a value", .row("E8"))
    func update() async throws {
        try await Shop.with { shop in
            let renamed = try await shop.account.update(CustomerProfileInput(firstName: .set("Augusta")))
            #expect(renamed.firstName == "Augusta")
            #expect(renamed.lastName == "Lovelace")
            let cleared = try await shop.account.update(CustomerProfileInput(lastName: .null))
            #expect(cleared.firstName == "Augusta")
            #expect(cleared.lastName == nil)
            let error = await #expect(throws: IdentityError.self) {
                try await shop.account.update(
                    CustomerProfileInput(firstName: .set(String(repeating: "x", count: 300)))
                )
            }
            #expect(error?.code == .customerUserErrors)
            #expect((error?.cause as? CustomerUserErrors)?.errors.first?.code == "TOO_LONG")
        }
    }

    @Test("addresses are created, changed field by field, made the default, and removed", .row("E5"))
    func addresses() async throws {
        try await Shop.with { shop in
            let account = shop.account
            let home = CustomerAddressInput(
                address1: .set("12 St James's Square"),
                address2: .set("Attic"),
                city: .set("London"),
                territoryCode: .set("GB"),
                phoneNumber: .set("+442079460000")
            )
            let added = try await account.add(home)
            #expect(added.city == "London")
            let changed = try await account.update(address: added.id, CustomerAddressInput(address2: .null))
            #expect(changed.address2 == nil)
            #expect(changed.city == "London")
            // Changing an address does not make it the default address.
            #expect(try await account.profile().defaultAddress?.id != added.id)
            try await account.setDefaultAddress(added.id)
            #expect(try await account.profile().defaultAddress?.id == added.id)
            var ids: [String] = []
            for try await page in account.addresses(pageSize: 1) { ids += page.map(\.id) }
            #expect(ids.count == 2)
            #expect(ids.first == added.id)
            let other = try #require(ids.last)
            try await account.remove(address: other)
            let gone = await #expect(throws: IdentityError.self) { try await account.remove(address: other) }
            #expect((gone?.cause as? CustomerUserErrors)?.errors.first?.code == "ADDRESS_ID_DOES_NOT_EXIST")
            let bad = await #expect(throws: IdentityError.self) {
                try await account.add(CustomerAddressInput(phoneNumber: .set("12")))
            }
            #expect((bad?.cause as? CustomerUserErrors)?.errors.first?.field == ["address", "phoneNumber"])
        }
    }

    @Test("the removal of an address has an unknown outcome after a lost response")
    func lostRemoval() async throws {
        try await Shop.with { shop in
            let address = try await shop.account.add(CustomerAddressInput(city: .set("London")))
            shop.sandbox.shopify.planFault(.loseResponse, on: .api)
            let error = await #expect(throws: IdentityError.self) {
                try await shop.account.remove(address: address.id)
            }
            #expect(error?.code == .outcomeUnknown && error?.kind == .retryLater)
            for try await page in shop.account.addresses() { #expect(!page.map(\.id).contains(address.id)) }
        }
    }

    @Test("orders are read page by page, the newest first, and each order occurs once", .row("E7"))
    func orders() async throws {
        try await Shop.with { shop in
            shop.sandbox.customers.addOrders(1_001...1_005, for: SandboxBuyerAccount.ada.email)
            var pages: [[Int]] = []
            for try await page in shop.account.orders(pageSize: 2) { pages.append(page.map(\.number)) }
            #expect(pages == [[1_005, 1_004], [1_003, 1_002], [1_001]])
            let order = try #require(try await shop.account.order("gid://shopify/Order/1003"))
            #expect(order.customerOrder.totalPrice.amount.text == "30.0")
            #expect(order.lineItems.nodes.map(\.quantity) == [2])
            #expect(try await shop.account.order("gid://shopify/Order/9") == nil)
        }
    }

    @Test("a token that is rejected early is refreshed once, and the call is repeated")
    func refresh() async throws {
        try await Shop.with { shop in
            shop.sandbox.shopify.expireAccessTokens()
            let profile = try await shop.account.profile()
            #expect(profile.firstName == "Ada")
            let token = CustomerAccessToken(issuedByShopify: Secret("shcat_wrong"), expiresAt: nil, issuer: "i")
            let error = await #expect(throws: IdentityError.self) {
                try await shop.client.execute(CustomerProfileQuery(), as: token)
            }
            #expect(error?.code == .accessTokenRefused)
            #expect(error?.kind == .retryLater)
        }
    }

    @Test("the error for too many requests has the seconds of the API's Retry-After")
    func throttling() async throws {
        try await Shop.with { shop in
            shop.sandbox.shopify.planFault(.tooManyRequests(retryAfter: 7), on: .api)
            let error = await #expect(throws: IdentityError.self) { try await shop.account.profile() }
            #expect(error?.kind == .retryLater)
            #expect(error?.code == .throttled)
            #expect(error?.retryAfter == .seconds(7))
        }
    }

    @Test(
        "an unavailable API fails as retryLater, and its URL is kept while the discovery document is unavailable"
    )
    func outage() async throws {
        try await Shop.with { shop in
            _ = try await shop.account.profile()
            shop.clock.advance(by: .seconds(7_200))
            shop.sandbox.shopify.planFault(.status(503), on: .apiDiscovery)
            #expect(try await shop.account.profile().firstName == "Ada")
            shop.sandbox.shopify.planFault(.htmlPage(status: 502), on: .api)
            let error = await #expect(throws: IdentityError.self) { try await shop.account.profile() }
            #expect(error?.kind == .retryLater)
        }
    }

    @Test("an outage does not make the API's old URL usable again after a newer discovery document was refused")
    func outageAfterRefusal() async throws {
        try await Shop.with { shop in
            _ = try await shop.account.profile()
            shop.clock.advance(by: .seconds(7_200))
            for (fault, kind) in [(404, IdentityError.Kind.configuration), (503, .retryLater)] {
                shop.sandbox.shopify.planFault(.status(fault), on: .apiDiscovery)
                let error = await #expect(throws: IdentityError.self) { try await shop.account.profile() }
                #expect(error?.kind == kind)
                shop.clock.advance(by: .seconds(60))
            }
            #expect(try await shop.account.profile().firstName == "Ada")
        }
    }

    @Test(
        "no access token is sent to an API at a host that is not in the list, and no redirect to such a host is followed"
    )
    func foreignHosts() async throws {
        try await Shop.with { shop in
            let target = "https://evil.example/customer/api/2026-04/graphql"
            for fault in [
                SandboxFault.member("graphql_api", .string(target)), .redirect(to: target, status: 302),
            ] {
                shop.sandbox.shopify.planFault(fault, on: .apiDiscovery)
                let error = await #expect(throws: IdentityError.self) { try await shop.account.profile() }
                #expect(error?.kind == .rejected)
                #expect(error?.code == .discoveryFailed)
                #expect(error?.providerResponse?.error == "evil.example")
                shop.clock.advance(by: .seconds(60))
            }
            let profile = try await shop.account.profile()
            #expect(profile.firstName == "Ada")
        }
    }

    @Test("after a failed discovery, calls fail for a second without another request")
    func pause() async throws {
        try await Shop.with { shop in
            shop.sandbox.shopify.planFault(.status(503), on: .apiDiscovery)
            for _ in 0..<5 {
                let error = await #expect(throws: IdentityError.self) { try await shop.account.profile() }
                #expect(error?.code == .providerUnavailable)
            }
            #expect(shop.sandbox.shopify.requests(to: .apiDiscovery).count == 1)
            shop.clock.advance(by: .seconds(1))
            let profile = try await shop.account.profile()
            #expect(profile.firstName == "Ada")
        }
    }

    @Test("a session of another provider has no customer account, and no request is sent for it")
    func otherProviders() async throws {
        try await Shop.with { shop in
            let tokens = TokenSet(
                buyer: Buyer(issuer: "https://bolt.example", subject: "b"),
                accessToken: Secret("bolt-token"),
                issuedAt: shop.clock.now
            )
            let session = try await shop.sessions.establish(tokens, provider: "other")
            let account = CustomerAccount(of: session.id, client: shop.client, sessions: shop.sessions)
            let before = shop.sandbox.shopify.requests.count
            let error = await #expect(throws: IdentityError.self) { try await account.profile() }
            #expect(error?.code == .unsupportedByProvider)
            #expect(shop.sandbox.shopify.requests.count == before)
        }
    }

    @Test("a dumped profile, address or mutation shows nothing about the buyer")
    func redaction() async throws {
        try await Shop.with { shop in
            let input = CustomerAddressInput(address1: .set("canary street"), phoneNumber: .set("+canary"))
            var dumped = ""
            dump(input, to: &dumped)
            dump(try await shop.account.profile(), to: &dumped)
            dump(CustomerAddressCreate(address: input), to: &dumped)
            for text in ["canary", "Ada", "Lovelace", "ada@", "Analytical Way"] { #expect(!dumped.contains(text)) }
        }
    }

    @Test(
        "a shop domain that is not a plain host name is refused",
        arguments: [
            "", "shop", "https://a.example", "a.example/path", "user@a.example", "a.example?x", "a.example:443",
            "10.0.0.1", "127.0.0.1", "\u{212A}.example",
        ]
    )
    func domains(domain: String) {
        #expect(throws: IdentityError.self) { try CustomerAccountConfiguration(shopDomain: domain) }
    }

    @Test("an invalid endpoint, origin or version is refused")
    func members() throws {
        let plain = try HTTPURL("http://a.example/x")
        #expect(throws: IdentityError.self) {
            try CustomerAccountConfiguration(shopDomain: "a.example", endpoint: plain)
        }
        #expect(throws: IdentityError.self) {
            try CustomerAccountConfiguration(shopDomain: "a.example", apiVersion: ShopifyAPIVersion(rawValue: "../x"))
        }
        for hosts in [[], ["https://a.example"], ["a.example:8443"], [""]] {
            #expect(throws: IdentityError.self) {
                try CustomerAccountConfiguration(shopDomain: "a.example", endpointHosts: hosts)
            }
        }
        let good = try CustomerAccountConfiguration(shopDomain: "Shop.Example", origin: "https://a.example")
        #expect(good.shopDomain == "shop.example")
    }

    @Test(
        "an origin that is not an https origin is refused, except http to a loopback address that is permitted",
        arguments: [
            ("https://a.example", false, true), ("https://a.example/path", false, false),
            ("http://a.example", false, false), ("http://a.example", true, false),
            ("http://127.0.0.1:8080", false, false), ("http://127.0.0.1:8080", true, true),
        ]
    )
    func origins(origin: String, allowsLoopbackHTTP: Bool, isAccepted: Bool) {
        let configuration = try? CustomerAccountConfiguration(
            shopDomain: "a.example",
            origin: origin,
            allowsLoopbackHTTP: allowsLoopbackHTTP
        )
        #expect(configuration?.origin == (isAccepted ? origin : nil))
    }
}
