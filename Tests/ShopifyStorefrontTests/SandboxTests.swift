import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestGuides
import Testing

/// The SDK's providers, session manager and cart adapter with a fake shop that keeps carts and validates each document.
private struct Shop {
    let sandbox: ShopSandbox
    let sessions: SessionManager
    let carts: CartAdapter
    let session: SessionID
    let transport: CurlTransport
    let clock = ManualClock()
    let context = StorefrontContext(buyerIP: "203.0.113.7", country: "US", language: "EN")
    let lines = [CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)]

    init(_ provider: String, buyer: SandboxBuyerAccount = .ada) async throws {
        var settings = SandboxConfiguration()
        settings.clock = clock
        settings.buyers = [buyer]
        sandbox = try await ShopSandbox.start(settings)
        let lab = sandbox.labConfiguration()
        let configuration = try IdentityConfiguration(json: lab.json.serialized, environmentVariables: lab.environment)
        transport = try CurlTransport()
        let environment = IdentityEnvironment(transport: transport, clock: clock, userAgent: "MyShop/2.1")
        let factories: [any ProviderFactory] = [
            ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(), OpenIDFactoryStub(),
        ]
        let registry = try ProviderRegistry(configuration, factories: factories, environment: environment)
        let store = InMemoryStore()
        var waits = SessionManager.Configuration()
        // A logout must end after the buyer was removed from the cart, also on a slow machine.
        waits.participantWait = .seconds(60)
        sessions = SessionManager(
            providers: registry,
            store: store,
            environment: environment,
            configuration: waits
        )
        let client = StorefrontClient(
            configuration: try StorefrontConfiguration(#require(configuration.storefront)),
            environment: environment,
            retry: .none
        )
        carts = CartAdapter(client: client, sessions: sessions, store: store)
        let flow = LoginFlow(provider: provider, sessions: sessions, presenter: SandboxBuyer(email: buyer.email))
        session = try await flow.login().id
    }

    /// The only cart in the sandbox.
    var cart: SandboxStorefront.CartState {
        get throws {
            let carts = sandbox.storefront.cartStates
            try #require(carts.count == 1)
            return carts[0]
        }
    }

    /// The page that the buyer sees at checkout.
    func page(_ handoff: CheckoutHandoff) async throws -> String {
        let request = HTTPRequest(method: .get, url: handoff.url.reveal(), allowsLoopbackHTTP: true)
        return String(decoding: try await transport.send(request).body, as: UTF8.self)
    }
}

@Suite struct SandboxTests {
    @Test("all requests to the fake hosts have the app's User-Agent", arguments: ["shopify", "bolt", "bolt-sfcc"])
    func userAgent(provider: String) async throws {
        let shop = try await Shop(provider)
        _ = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        _ = try await shop.carts.checkout(for: shop.session, in: shop.context)
        _ = try await shop.sessions.logout(shop.session)
        let sandbox = shop.sandbox
        let requests =
            sandbox.shopify.requests + sandbox.bolt.requests + sandbox.sfcc.requests + sandbox.storefront.requests
        let found = Set(requests.map { $0.header("User-Agent") ?? "none" })
        #expect(found.filter { !$0.hasPrefix("SandboxBuyer") } == ["MyShop/2.1"])
    }

    @Test("a Shopify customer arrives at checkout signed in, and after logout the cart has no buyer", .row("D13"))
    func shopify() async throws {
        let shop = try await Shop("shopify")
        let cart = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        #expect(cart.cart.totalQuantity == 2 && cart.cart.total == Money(amount: "25.0", currencyCode: "USD"))
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .customer)
        #expect(try await shop.page(handoff).contains("ada@example.com"))
        #expect(try await shop.sessions.logout(shop.session).problems.isEmpty)
        #expect(try shop.cart.customerAccessToken == nil)
        #expect(try await !shop.page(handoff).contains("ada@example.com"))
    }

    @Test("without the buyer's IP Shopify opens the checkout signed out, and with the IP signed in")
    func buyerIP() async throws {
        let shop = try await Shop("shopify")
        _ = try await shop.carts.add(shop.lines, for: shop.session)
        let blind = try await shop.carts.checkout(for: shop.session)
        #expect(try await !shop.page(blind).contains("ada@example.com"))
        let seeing = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(try await shop.page(seeing).contains("ada@example.com"))
    }

    @Test("a token that Shopify expires early is refreshed once, and checkout opens signed in")
    func expiredEarly() async throws {
        let shop = try await Shop("shopify")
        _ = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        shop.sandbox.shopify.expireAccessTokens()
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .customer && handoff.problem == nil)
        #expect(shop.sandbox.shopify.counters.refreshes == 1)
        #expect(try await shop.page(handoff).contains("ada@example.com"))
    }

    @Test("a revoked session leads to a guest's checkout with the reason")
    func revoked() async throws {
        let shop = try await Shop("shopify")
        _ = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        shop.sandbox.shopify.revokeAll()
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(handoff.identity == .guest && handoff.problem?.code == .identityRejected)
        #expect(try await !shop.page(handoff).contains("ada@example.com"))
    }

    @Test("after a refresh an hour later, the cart has the new token")
    func anHourLater() async throws {
        let shop = try await Shop("shopify")
        _ = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        let first = try shop.cart.customerAccessToken
        shop.clock.advance(by: .seconds(3700))
        _ = try await shop.sessions.tokens(for: shop.session)
        await shop.sessions.drain()
        let second = try shop.cart.customerAccessToken
        #expect(second != nil && second != first)
        let handoff = try await shop.carts.checkout(for: shop.session, in: shop.context)
        #expect(try await shop.page(handoff).contains("ada@example.com"))
    }

    @Test("a Bolt buyer's checkout is prefilled, and no Bolt token is sent to Shopify", .row("D14"))
    func bolt() async throws {
        let shop = try await Shop("bolt")
        let token = try await shop.sessions.tokens(for: shop.session).tokens.accessToken.reveal()
        let cart = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        #expect(cart.identity == .contact && cart.omitted.isEmpty)
        let state = try shop.cart
        #expect(state.email == "ada@example.com" && state.phone == "+14155550123")
        #expect(state.addresses == ["1 Analytical Way, San Francisco, US"])
        #expect(try await shop.carts.checkout(for: shop.session, in: shop.context).identity == .contact)
        #expect(try await shop.sessions.logout(shop.session).problems.isEmpty)
        let after = try shop.cart
        #expect(after.email == nil && after.phone == nil && after.addresses.isEmpty)
        for request in shop.sandbox.storefront.requests { #expect(!request.bodyText.contains(token)) }
    }

    @Test("a buyer's address with an unknown country is omitted, and the cart is created")
    func unknownCountry() async throws {
        var buyer = SandboxBuyerAccount.ada
        buyer.addresses[0].countryCode = "XX"
        let shop = try await Shop("bolt", buyer: buyer)
        shop.sandbox.storefront.planFault(
            .answer(status: 200, body: #"{"errors":[{"message":"x","extensions":{"code":"INVALID_VARIABLE"}}]}"#),
            on: .storefront
        )
        let cart = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        #expect(cart.omitted == ["address"] && cart.identity == .contact)
    }

    @Test("if the cart is gone, as after an order, checkout fails, and the next added line creates a new cart")
    func completed() async throws {
        let shop = try await Shop("shopify")
        let cart = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        shop.sandbox.storefront.removeCart(cart.cart.id.rawValue)
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.checkout(for: shop.session, in: shop.context)
        }
        #expect(error?.code == .cartGone)
        #expect(try await shop.carts.add(shop.lines, for: shop.session, in: shop.context).cart.totalQuantity == 2)
    }

    @Test("an unknown variant is an error, and insufficient stock is a warning")
    func linesThatFail() async throws {
        let shop = try await Shop("shopify")
        let stock = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/3", quantity: 9)
        let cart = try await shop.carts.add([stock], for: shop.session, in: shop.context)
        #expect(cart.warnings.map(\.code) == [.merchandiseNotEnoughStock] && cart.cart.totalQuantity == 3)
        let unknown = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/99")
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add([unknown], for: shop.session, in: shop.context)
        }
        #expect(error?.code == .cartUserErrors)
    }

    @Test("if the Storefront API throttles a logout, the logout reports it, and the session ends anyway")
    func logoutDuringOutage() async throws {
        let shop = try await Shop("shopify")
        _ = try await shop.carts.add(shop.lines, for: shop.session, in: shop.context)
        shop.sandbox.storefront.planFault(.storefrontThrottled, on: .storefront)
        let result = try await shop.sessions.logout(shop.session)
        #expect(result.problems.map(\.code) == [.throttled])
        await #expect(throws: IdentityError.self) { try await shop.sessions.session(shop.session) }
    }
}
