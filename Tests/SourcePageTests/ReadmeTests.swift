import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentitySQLite
import IdentitySandbox
import IdentityShopify
import IdentityStoreKit
import ShopifyStorefront
import StorefrontSandbox
import TestDirectories
import TestGuides
import Testing

/// Opens the README's store in a directory of the test.
private struct StoreOpener {
    let directory: TemporaryDirectory

    func open(_ configuration: SQLiteStore.Configuration) async throws -> SQLiteStore {
        var configuration = configuration
        configuration.path = directory.path(of: configuration.path)
        return try await SQLiteStore.open(configuration)
    }
}

/// Runs the README's code in the sandbox: here `CurlTransport` and `SQLiteStore` are a function and a value of the test.
private func signInAndShop(
    _ shop: Shop,
    clientID: String,
    clientSecret: Secret,
    publishableKey: String,
    apiKey: Secret,
    storeKey: StoreKey,
    storefrontToken: Secret,
    variant: String,
    ip: String
) async throws -> (SessionTokens, CheckoutHandoff) {
    func CurlTransport() throws -> ProviderHosts { shop.hosts }
    let SQLiteStore = StoreOpener(directory: try TemporaryDirectory("readme"))
    // swift-format-ignore
    do {
let environment = IdentityEnvironment(transport: try CurlTransport())
let shopify = try ShopifyProvider(
    .init(name: "shopify", shopDomain: "example.myshopify.com", clientID: clientID,
          client: .confidential(clientSecret), redirectURI: "https://app.example/callback/shopify"),
    environment: environment)
let bolt = try BoltProvider(
    .init(name: "bolt", environment: .sandbox, publishableKey: publishableKey,
          authentication: .confidential(apiKey: apiKey), redirectURI: "https://app.example/callback/bolt"),
    environment: environment)
let store = try await SQLiteStore.open(.init(path: "identity.sqlite", key: storeKey))
let sessions = SessionManager(providers: try ProviderRegistry([shopify, bolt]), store: store, environment: environment)
let storefront = StorefrontClient(
    configuration: try .init(shopDomain: "example.myshopify.com", authentication: .privateToken(storefrontToken)),
    environment: environment)
let carts = CartAdapter(client: storefront, sessions: sessions, store: store)

let login = try await sessions.begin("shopify")                     // or "bolt"; redirect the browser to login.url.text
        let returned = try await shop.buyer().login(at: login.url.text, redirectURI: "https://app.example/callback/shopify")
        // A server gets the path and the query, not the whole URL.
        let request = (uri: String(returned.dropFirst("https://app.example".count)), method: "GET")
        let bindingCookie = login.browserBinding
let done = try await sessions.complete(LoginCallback(url: request.uri), browserBinding: bindingCookie, provider: "shopify")
let tokens = try await sessions.tokens(for: done.session.id, validFor: .seconds(60))    // refreshed when needed
let cart = try await carts.add([.init(merchandiseID: variant, quantity: 2)], for: done.session.id, in: .init(buyerIP: ip))
let checkout = try await carts.checkout(for: done.session.id, in: .init(buyerIP: ip)) // to checkout.url.reveal().text
        if case .customer = cart.identity {} else { Issue.record("The cart has no customer.") }
        return (tokens, checkout)
    }
}

@Suite("README")
struct ReadmeTests {
    @Test("the code on the first screen signs a buyer in and opens the checkout", .row("A9"))
    func code() async throws {
        let client = SandboxShopifyClient.confidential
        let shop = try await Shop { $0.clock = SystemClock() }
        shop.sandbox.shopify.register(redirectURI: "https://app.example/callback/shopify")
        let (tokens, checkout) = try await signInAndShop(
            shop,
            clientID: client.id,
            clientSecret: Secret(client.secret ?? ""),
            publishableKey: "publishable-key",
            apiKey: Secret("api-key"),
            storeKey: try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 9, count: StoreKey.byteCount))),
            storefrontToken: Secret(shop.sandbox.storefront.configuration.privateToken),
            variant: Shop.variant,
            ip: "203.0.113.7"
        )
        #expect(tokens.outcome == .stored)
        #expect(checkout.identity == .customer)
        #expect(try await shop.checkoutPage(checkout.url.reveal().text).contains("ada@example.com"))
    }

    /// The script needs minutes, so the tests do not run it.
    @Test("the script that builds a package with the README's code is part of the checks", .row("A9"))
    func consumer() throws {
        let checks = try Repository.text(".ci/run")
        #expect(checks.split(separator: "\n").contains("Tests/Proofs/without-postgres Tests/Proofs/consumer"))
        #expect(
            FileManager.default.isExecutableFile(atPath: Repository.root.appending(path: "Tests/Proofs/consumer").path)
        )
    }
}
