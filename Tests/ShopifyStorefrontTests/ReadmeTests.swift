import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentitySQLite
import IdentityShopify
import IdentityStoreKit
import ShopifyStorefront
import TestGuides
import Testing

/// The compiled code of the README; the test below compares both.
private enum Readme {
    struct Request {
        var uri: String
    }

    static func code(
        clientID: String,
        clientSecret: Secret,
        publishableKey: String,
        apiKey: Secret,
        storeKey: StoreKey,
        storefrontToken: Secret,
        request: Request,
        bindingCookie: Secret,
        variant: String,
        ip: String
    ) async throws {
        // swift-format-ignore
        do {
let environment = IdentityEnvironment(transport: try CurlTransport())
let shopify = try ShopifyProvider(
    .init(name: "shopify", shopDomain: "example.myshopify.com", clientID: clientID,
          client: .confidential(clientSecret), redirectURI: "https://app.example/callback/shopify"),
    environment: environment)
let bolt = try BoltProvider(
    .init(name: "bolt", environment: .sandbox, publishableKey: publishableKey, authentication: .confidential(apiKey: apiKey)),
    environment: environment)
let store = try await SQLiteStore.open(.init(path: "identity.sqlite", key: storeKey))
let sessions = SessionManager(providers: try ProviderRegistry([shopify, bolt]), store: store, environment: environment)
let storefront = StorefrontClient(
    configuration: try .init(shopDomain: "example.myshopify.com", authentication: .privateToken(storefrontToken)),
    environment: environment)
let carts = CartAdapter(client: storefront, sessions: sessions, store: store)

let login = try await sessions.begin("shopify")                     // or "bolt"; redirect the browser to login.url
// … the provider sends the browser back to /callback/shopify …
let done = try await sessions.complete(LoginCallback(url: request.uri), browserBinding: bindingCookie)
let tokens = try await sessions.tokens(for: done.session.id, validFor: .seconds(60))    // refreshed when needed
let cart = try await carts.add([.init(merchandiseID: variant, quantity: 2)], for: done.session.id, in: .init(buyerIP: ip))
let checkout = try await carts.checkout(for: done.session.id, in: .init(buyerIP: ip)) // signed-in checkout URL
            _ = (login, tokens, cart, checkout)
        }
    }
}

@Suite("README")
struct ReadmeTests {
    @Test("the code on the first screen compiles", .row("A9"))
    func code() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = String(decoding: try Data(contentsOf: root.appending(path: "README.md")), as: UTF8.self)
        let source = String(decoding: try Data(contentsOf: here), as: UTF8.self)
        let block = try #require(readme.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
        let body = try #require(block.split(separator: "\n\n", maxSplits: 1).last)
        #expect(body.split(separator: "\n").count > 15)
        #expect(source.contains(body))
    }

    /// That script needs minutes, so it is no part of the tests.
    @Test("the script that builds a package with the README's code is part of the checks", .row("A9"))
    func consumer() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let checks = try String(contentsOf: root.appending(path: ".ci/run"), encoding: .utf8)
        #expect(checks.split(separator: "\n").contains("Tests/Proofs/without-postgres Tests/Proofs/consumer"))
        #expect(FileManager.default.isExecutableFile(atPath: root.appending(path: "Tests/Proofs/consumer").path))
    }
}
