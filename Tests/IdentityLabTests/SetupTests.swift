import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySQLite
import IdentitySandbox
import IdentitySetup
import ShopifyCustomerAccount
import ShopifyStorefront
import StorefrontSandbox
import TestDirectories
import Testing

@Suite("IdentitySetup creates everything from one configuration file")
struct SetupTests {
    @Test("one call creates providers, store, sessions, Storefront, carts and customer accounts that work together")
    func everything() async throws {
        let sandbox = try await ShopSandbox.start()
        let directory = try TemporaryDirectory("setup")
        defer { directory.remove() }
        let made = sandbox.labConfiguration(storePath: directory.path(of: "identity.sqlite"))
        let configuration = try IdentityConfiguration(
            json: made.json.serialized,
            environmentVariables: made.environment
        )
        let counters = IdentityCounters()
        var options = IdentitySetup.Options()
        options.observers = [counters]
        let setup = try await IdentitySetup.open(configuration, options: options) { section in
            try await SQLiteStore.open(try SQLiteStore.Configuration(section))
        }
        #expect(
            setup.providers.all.map { "\($0.descriptor.name): \($0.descriptor.displayName)" } == [
                "shopify: Shopify", "shopify-public: Shopify", "shopify-web: Shopify", "bolt: Bolt", "bolt-pkce: Bolt",
                "bolt-sfcc: Bolt, with your store account", "any: OpenID",
            ]
        )
        let carts = try setup.requireCarts()
        let login = try await setup.sessions.begin("shopify")
        let redirectURI = try setup.sessions.descriptor(of: "shopify").redirectURI
        let url = try await SandboxBuyer().login(at: login.url.text, redirectURI: redirectURI)
        let session = try await setup.sessions.complete(
            try LoginCallback(url: url),
            browserBinding: login.browserBinding,
            provider: "shopify"
        )
        .session
        // The manager reports the login, and the provider reports its keys.
        #expect(counters.count("login_completed") == 1 && counters.count("key_set_refreshed") == 1)
        let cart = try await carts.add(
            [CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1")],
            for: session.id
        )
        #expect(cart.cart.totalQuantity == 1)
        let customers = try #require(setup.customerAccounts)
        let account = CustomerAccount(of: session.id, client: customers, sessions: setup.sessions)
        #expect(try await account.profile().emailAddress?.emailAddress == "ada@example.com")
        await (setup.store as? SQLiteStore)?.close()
        await sandbox.stop()
    }

    @Test("every kind of provider has a name for buyers, which the file can change")
    func displayNames() throws {
        let kinds = [
            (
                "shopify", #""kind":"shopify","shopDomain":"a.myshopify.com","clientID":"c","client":"publicMobile""#,
                "Shopify"
            ),
            ("bolt", #""kind":"bolt","publishableKey":"a.b.c","usePkce":true"#, "Bolt"),
            ("sfcc", #""kind":"bolt-sfcc","host":"shop.example","siteID":"Shop""#, "Bolt"),
            (
                "op",
                #""kind":"openid","issuer":"https://a.example","clientID":"c","redirectURI":"https://b.example/c""#,
                "op"
            ),
            ("g", #""kind":"openid","preset":"google","clientID":"c","redirectURI":"https://b.example/c""#, "Google"),
        ]
        for (name, members, expected) in kinds {
            for (addition, displayed) in [("", expected), (#","displayName":"Acme""#, "Acme")] {
                let configuration = try IdentityConfiguration(
                    json: Array(#"{"providers":{"\#(name)":{\#(members)\#(addition)}}}"#.utf8),
                    environmentVariables: [:]
                )
                let setup = try IdentitySetup(
                    configuration,
                    store: InMemoryStore(),
                    environment: IdentityEnvironment(transport: try CurlTransport())
                )
                #expect(setup.providers.all.map(\.descriptor.displayName) == [displayed])
            }
        }
    }

    @Test("the store is opened last, and SQLite refuses the members of PostgreSQL")
    func order() async throws {
        func open(_ text: String) async -> (error: IdentityError?, isOpened: Bool) {
            var isOpened = false
            do {
                let configuration = try IdentityConfiguration(json: Array(text.utf8), environmentVariables: [:])
                _ = try await IdentitySetup.open(configuration) { section in
                    isOpened = true
                    return try await SQLiteStore.open(try SQLiteStore.Configuration(section))
                }
                return (nil, isOpened)
            } catch {
                return (IdentityError.wrapping(error), isOpened)
            }
        }
        for (text, expected) in [
            (#"{"store":{"path":"x"},"storefront":{"shopDomain":"no dot"}}"#, "storefront.shopDomain"),
            (#"{"store":{"path":"x"},"customerAccount":{"shopdomain":"a.example"}}"#, "did you mean shopDomain"),
            (#"{"store":{"path":"x"},"providers":{"a":{"kind":"none"}}}"#, "providers.a.kind"),
        ] {
            let (error, isOpened) = await open(text)
            #expect(error?.message.contains(expected) == true, "\(text) \(error?.message ?? "")")
            #expect(!isOpened)
        }
        #expect(await open("{}").error?.message.contains("store is missing") == true)
        #expect(await open(#"{"store":{"postgres":"postgresql://a/b"}}"#).error?.message.contains("postgres") == true)
        #expect(await open(#"{"store":{"path":"x","spool":"y"}}"#).error?.message.contains("store.spool") == true)
    }
}
