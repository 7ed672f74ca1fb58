import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyCustomerAccount
import ShopifyGraphQL
import ShopifyLegacyCustomers
import ShopifyStorefront
import StorefrontSandbox
import TestGuides
import Testing

@Suite("Legacy customers")
struct LegacyCustomerTests {
    @Test(
        "e-mail address and password create a session, and a wrong password and an unknown address fail alike",
        .row("E2")
    )
    func signIn() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let buyer = try await shop.sessions.session(session).buyer
            #expect(buyer.subject.hasPrefix("gid://shopify/Customer/"))
            #expect(buyer.email?.value == LegacyShop.email)
            let wrong = await #expect(throws: IdentityError.self) { try await shop.signIn(Secret("analytical")) }
            let unknown = await #expect(throws: IdentityError.self) {
                try await shop.provider.signIn(
                    email: "nobody@example.com",
                    password: LegacyShop.password,
                    in: shop.context
                )
            }
            #expect(wrong?.code == .passwordRefused)
            #expect(unknown?.code == wrong?.code)
            #expect(unknown?.message == wrong?.message)
        }
    }

    @Test("a sign-in sends the buyer's IP, by which Shopify limits attempts")
    func buyerIP() async throws {
        try await LegacyShop.with { shop in
            _ = try await shop.signIn()
            let requests = shop.sandbox.storefront.requests
            // The sign-in also reads the token's buyer.
            #expect(requests.count == 2)
            #expect(requests.allSatisfy { $0.header("shopify-storefront-buyer-ip") == "203.0.113.7" })
        }
    }

    @Test("a token is refreshed before it expires, and an expired one ends the session", .row("E2"))
    func refresh() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let first = try await shop.sessions.tokens(for: session).tokens.accessToken
            let second = try await shop.sessions.refreshTokens(for: session).tokens.accessToken
            #expect(!second.isEqual(to: first))
            shop.clock.advance(by: .seconds(15 * 86_400))
            let error = await #expect(throws: IdentityError.self) { try await shop.sessions.tokens(for: session) }
            #expect(error?.kind == .signInAgain)
        }
    }

    @Test("an expiry in the past is ignored, because Shopify sometimes sends the time of creation there")
    func pastExpiry() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            for (time, isKept) in [("2001-01-01T00:00:00Z", false), ("2999-01-01T00:00:00Z", true)] {
                let token = #"{"accessToken":"token-\#(isKept)","expiresAt":"\#(time)"}"#
                let payload = #"{"customerAccessToken":\#(token),"userErrors":[]}"#
                let body = #"{"data":{"customerAccessTokenRenew":\#(payload)}}"#
                shop.sandbox.storefront.planFault(.answer(status: 200, body: body), on: .storefront)
                let tokens = try await shop.sessions.refreshTokens(for: session).tokens
                #expect((tokens.expiresAt != nil) == isKept)
            }
        }
    }

    @Test("an account that waits for its activation is not an error, because Shopify has sent an e-mail", .row("E1"))
    func disabledAccount() async throws {
        try await LegacyShop.with { shop in
            let input = LegacyCustomerCreateInput(email: "new@example.com", password: LegacyShop.password)
            func answer(_ code: String) {
                let error = #"{"code":"\#(code)","field":["input","email"],"message":"x"}"#
                let body = #"{"data":{"customerCreate":{"customer":null,"customerUserErrors":[\#(error)]}}}"#
                let headers = [("Content-Type", "application/json"), ("X-Request-Id", "request-1")]
                shop.sandbox.storefront.planFault(.answer(status: 200, headers: headers, body: body), on: .storefront)
            }
            answer("CUSTOMER_DISABLED")
            let waiting = try await shop.provider.create(input, in: shop.context)
            #expect(waiting == nil)
            answer("TAKEN")
            let taken = await #expect(throws: IdentityError.self) {
                try await shop.provider.create(input, in: shop.context)
            }
            #expect(taken?.code == .legacyCustomerUserErrors)
            #expect(taken?.providerResponse?.traceID == "request-1" && taken?.providerResponse?.status == 200)
        }
    }

    @Test("a creation or a revocation with an error instead of a result throws an error")
    func errorInsteadOfResult() async throws {
        try await LegacyShop.with { shop in
            let password = LegacyShop.password
            let tokens = try await shop.provider.signIn(email: LegacyShop.email, password: password, in: shop.context)
            func plan(_ mutation: String, _ value: String, _ userErrors: String) {
                let data = #""data":{"\#(mutation)":{"\#(value)":null,"\#(userErrors)":[]}}"#
                let error = #"{"message":"x","path":["\#(mutation)"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}"#
                let body = #"{\#(data),"errors":[\#(error)]}"#
                shop.sandbox.storefront.planFault(.answer(status: 200, body: body), on: .storefront)
            }
            plan("customerCreate", "customer", "customerUserErrors")
            let created = await #expect(throws: IdentityError.self) {
                let input = LegacyCustomerCreateInput(email: "new@example.com", password: password)
                return try await shop.provider.create(input, in: shop.context)
            }
            #expect(created?.code == .outcomeUnknown && created?.message.contains("CustomerCreate") == true)
            plan("customerAccessTokenDelete", "deletedCustomerAccessTokenId", "userErrors")
            let revoked = await #expect(throws: IdentityError.self) { try await shop.provider.revoke(tokens) }
            #expect(revoked?.kind == .retryLater)
            #expect(try await shop.provider.revoke(tokens))
        }
    }

    @Test("a token is not sent to another shop whose provider has the same name")
    func otherShop() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let environment = IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock)
            let client = try LegacyShop.client(of: "other.example", shop.sandbox, environment)
            let other = LegacyPasswordProvider(client: client, environment: environment)
            let account = LegacyCustomerAccount(of: session, provider: other, sessions: shop.sessions)
            let requests = shop.sandbox.storefront.requests(to: .storefront).count
            let tokens = try await shop.sessions.tokens(for: session).tokens
            let errors = [
                await #expect(throws: IdentityError.self) { try await account.customer() },
                await #expect(throws: IdentityError.self) { try await other.refresh(tokens) },
                await #expect(throws: IdentityError.self) { try await other.revoke(tokens) },
                await #expect(throws: IdentityError.self) { try await other.buyerProfile(for: tokens) },
                await #expect(throws: IdentityError.self) { try await other.cartClaim(for: tokens) },
            ]
            #expect(errors.map { $0?.code } == Array(repeating: .issuerChanged, count: 5))
            #expect(errors.allSatisfy { $0?.hint?.contains("issuers") == false })
            #expect(shop.sandbox.storefront.requests(to: .storefront).count == requests)
        }
    }

    @Test("an outage during a refresh, or the refusal of a token that is still valid, does not change the session")
    func outage() async throws {
        let refusal =
            #"{"data":{"customerAccessTokenRenew":{"customerAccessToken":null,"userErrors":[{"message":"busy"}]}}}"#
        for fault in [SandboxFault.status(503), .answer(status: 200, body: refusal)] {
            try await LegacyShop.with { shop in
                let session = try await shop.signIn()
                shop.sandbox.storefront.planFault(fault, on: .storefront)
                let error = await #expect(throws: IdentityError.self) {
                    try await shop.sessions.refreshTokens(for: session)
                }
                #expect(error?.kind == .retryLater)
                _ = try await shop.sessions.tokens(for: session)
            }
        }
    }

    @Test(
        "a Multipass token signs in once and only for a short time; one that is invalid or of another secret is refused",
        .row("E3")
    )
    func multipass() async throws {
        try await LegacyShop.with { shop in
            func refusal(_ token: Secret) async -> IdentityError.Code? {
                let error = await #expect(throws: IdentityError.self) {
                    try await shop.provider.signIn(multipassToken: token, in: shop.context)
                }
                return error?.code
            }
            let customer = MultipassCustomer(email: LegacyShop.email)
            let token = try shop.multipass().token(for: customer)
            let tokens = try await shop.provider.signIn(multipassToken: token, in: shop.context)
            #expect(tokens.buyer.email?.value == LegacyShop.email)
            #expect(await refusal(token) == .legacyCustomerUserErrors)
            // The same token without its padding.
            #expect(token.reveal().hasSuffix("="))
            #expect(await refusal(Secret(token.reveal().replacing("=", with: ""))) == .legacyCustomerUserErrors)
            let other = try shop.multipass("another-secret").token(for: customer)
            #expect(await refusal(other) == .legacyCustomerUserErrors)
            #expect(await refusal(Secret("x")) == .legacyCustomerUserErrors)
            let new = try shop.multipass().token(for: MultipassCustomer(email: "new@example.com"))
            #expect(try await shop.provider.signIn(multipassToken: new, in: shop.context).buyer.email != nil)
            let late = try shop.multipass().token(for: customer)
            shop.clock.advance(by: .seconds(3600))
            #expect(await refusal(late) == .legacyCustomerUserErrors)
        }
    }

    @Test("a node of type Order is read by its id, and a node of another type is recognized as such", .row("B6"))
    func orderNode() async throws {
        try await LegacyShop.with { shop in
            func node(_ id: String) async throws -> LegacyNode? {
                try await shop.client.execute(LegacyOrderByID(id: id), in: shop.context).data
            }
            let orders = try await shop.account(try await shop.signIn()).customer().orders.nodes
            let id = try #require(orders.first).id
            guard case .order(let order) = try await node(id)?.concrete else {
                Issue.record("The node was not read as an order.")
                return
            }
            #expect(order.orderNumber == 501 && order.processedAt.text == "2026-11-01T10:00:00Z")
            guard case .other("Product") = try await node("gid://shopify/Product/1")?.concrete else {
                Issue.record("The product was not read as a node of another type.")
                return
            }
            #expect(try await node("gid://shopify/Order/501") == nil)
            #expect(LegacyOrderByID.document.isPersonal)
        }
    }

    @Test("every generated operation runs against the sandbox")
    func everyOperation() async throws {
        try await LegacyShop.with { shop in
            let (provider, context, storefront) = (shop.provider, shop.context, shop.sandbox.storefront)
            _ = try await provider.create(.init(email: "grace@example.com", password: Secret("compiler")), in: context)
            try await provider.recover(email: LegacyShop.email, in: context)
            storefront.addLegacyCustomer(email: "b@example.com", password: "not yet", isActive: false)
            func mail(_ email: String) throws -> (customerID: String, token: String, url: String) {
                try #require(storefront.legacyMail(to: email))
            }
            let (waiting, ada) = ("b@example.com", LegacyShop.email)
            _ = try await provider.activate(url: HTTPURL(mail(waiting).url), password: Secret("first"), in: context)
            let activation = try mail(waiting)
            _ = try await provider.activate(
                customer: activation.customerID,
                activationToken: Secret(activation.token),
                password: Secret("second"),
                in: context
            )
            _ = try await provider.reset(url: HTTPURL(mail(ada).url), password: Secret("third"), in: context)
            let reset = try mail(ada)
            _ = try await provider.reset(
                customer: reset.customerID,
                resetToken: Secret(reset.token),
                password: LegacyShop.password,
                in: context
            )
            let token = try shop.multipass().token(for: MultipassCustomer(email: ada))
            _ = try await provider.signIn(multipassToken: token, in: context)
            let session = try await shop.signIn()
            _ = try await shop.sessions.refreshTokens(for: session)
            let account = shop.account(session)
            let orders = try await account.customer().orders.nodes
            _ = try await account.update(LegacyCustomerUpdateInput(phone: .null))
            let address = try await account.add(LegacyCustomerAddressInput(city: .set("London")))
            _ = try await account.update(address: address.id, .init(city: .set("Paris")))
            try await account.setDefaultAddress(address.id)
            try await account.remove(address: address.id)
            _ = try await shop.client.execute(LegacyOrderByID(id: try #require(orders.first).id), in: context)
            _ = try await shop.sessions.logout(session)
            await shop.sessions.drain()
            let bodies = storefront.requests.map(\.bodyText)
            #expect(try GeneratedOperations.missing(in: "ShopifyLegacyCustomers", from: bodies) == [])
        }
    }

    @Test("there is no login page, and the cart claim is the customer's token")
    func provider() async throws {
        try await LegacyShop.with { shop in
            let begun = await #expect(throws: IdentityError.self) { try await shop.sessions.begin("legacy") }
            #expect(begun?.code == .unsupportedByProvider)
            let session = try await shop.signIn()
            let tokens = try await shop.sessions.tokens(for: session).tokens
            guard case .customer(let claim) = try await shop.sessions.cartClaim(for: session).claim else {
                Issue.record("The claim is not a customer token.")
                return
            }
            #expect(claim.token.isEqual(to: tokens.accessToken))
            #expect(claim.expiresAt == tokens.expiresAt)
        }
    }

    @Test("a legacy customer's token is not sent to the Customer Account API, and carts get it without an exchange")
    func customerAccount() async throws {
        let store = InMemoryStore()
        try await LegacyShop.with(store: store) { shop in
            let session = try await shop.signIn()
            let environment = IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock)
            let configuration = try CustomerAccountConfiguration(
                shopDomain: String(shop.sandbox.storefront.origin.dropFirst("http://".count)),
                allowsLoopbackHTTP: true
            )
            let client = CustomerAccountClient(configuration: configuration, environment: environment)
            let account = CustomerAccount(of: session, client: client, sessions: shop.sessions)
            let errors = [
                await #expect(throws: IdentityError.self) { try await account.profile() },
                await #expect(throws: IdentityError.self) { try await account.setDefaultAddress("1") },
            ]
            #expect(errors.allSatisfy { $0?.kind == .configuration && $0?.code == .unsupportedByProvider })
            var policy = CartPolicy()
            policy.exchange = CustomerTokenExchange(
                endpoint: try HTTPURL(shop.sandbox.shopify.customerAccountEndpoint),
                environment: environment,
                allowsLoopbackHTTP: true
            )
            let carts = CartAdapter(client: shop.client, sessions: shop.sessions, store: store, policy: policy)
            let cart = try await carts.create(for: session, in: shop.context)
            #expect(cart.problem == nil)
            // Neither the API nor its discovery document was requested.
            #expect(shop.sandbox.shopify.requests.map(\.path) == [])
        }
    }

    @Test("logging out deletes the token at Shopify", .row("E2"))
    func logout() async throws {
        try await LegacyShop.with { shop in
            let session = try await shop.signIn()
            let tokens = try await shop.sessions.tokens(for: session).tokens
            _ = try await shop.sessions.logout(session)
            await shop.sessions.drain()
            let error = await #expect(throws: IdentityError.self) {
                try await shop.provider.refresh(tokens)
            }
            #expect(error?.kind == .signInAgain)
        }
    }
}
