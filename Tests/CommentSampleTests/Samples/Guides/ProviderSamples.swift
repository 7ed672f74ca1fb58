import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityShopify

// swift-format-ignore
extension App {
    func choosingAProviderPage() throws {
        let registry = try ProviderRegistry(
            IdentityConfiguration(contentsOf: "identity.json"),
            factories: [ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(), OpenIDProviderFactory()],
            environment: environment)
        _ = registry
    }

    func boltPage() throws {
        let bolt = try BoltProvider(
            .init(name: "bolt", environment: .sandbox, publishableKey: publishableKey, authentication: .confidential(apiKey: apiKey)),
            environment: environment)
        _ = bolt
    }

    func boltPageOnAPhone(bolt: BoltProvider, body: [UInt8]) async throws {
        let result = try BoltLoginResult(json: body)
        let tokens = try await bolt.exchange(result)                       // sends the configured redirect URI
        let session = try await sessions.establish(tokens, provider: "bolt")
        _ = session
    }

    func shopifyPage() throws {
        var configuration = ShopifyProvider.Configuration(
            name: "shopify", shopDomain: "your-shop.myshopify.com", clientID: clientID,
            client: .confidential(clientSecret), redirectURI: "https://app.example/callback/shopify")
        configuration.shopID = "82920341806"
        let shopify = try ShopifyProvider(configuration, environment: environment)
        _ = shopify
    }

    func shopifyPageOptions() async throws {
        let login = try await sessions.begin("shopify", options: .shopify {
            $0.locale = "fr-CA"                 // Shopify does not support pt and zh without a region
            $0.regionCountry = "CA"
            $0.loginHint = "ada@example.com"
            $0.submitsLoginHint = true
        })
        _ = login
    }

    func shopifyPageSignOn() throws {
        let link = try ShopSignOnLink(shopDomain: "shop.example")
        let url = try link.url(for: session.buyer, returningTo: "/collections/sale")    // redirect the browser to url
        _ = url
    }

    func shopifyPageAuthClient(storefrontToken: String, vault: Vault, callback: URL) async throws {
        let client = AuthClient(
            shopDomain: "your-shop.myshopify.com", clientId: clientID, redirectUri: "shop.82920341806.app://callback",
            storefrontAccessToken: storefrontToken, tokenStorage: vault)
        let page = try await client.buildAuthorizationUrl()
        // … the buyer signs in, and the web view is redirected to callback …
        let token = try await client.completeLogin(url: callback)
        let checkoutUrl = try await client.createAuthenticatedCart(variantId: variant, accessToken: token.accessToken)
        _ = (page, checkoutUrl)
    }

    func tenantsPage() {
        var configuration = SessionManager.Configuration()
        configuration.tenant = "shop-17"
        let sessions = SessionManager(providers: providers, store: store, environment: environment, configuration: configuration)
        _ = sessions
    }

    func tenantsPage(issuer: String, subject: String) async throws {
        let found = try await sessions.sessions(matching: SessionFilter(buyer: (issuer, subject)))      // at all shops that the manager knows
        try await sessions.logoutAll(issuer: issuer, subject: subject)                                  // everywhere
        try await sessions.logoutAll(issuer: issuer, subject: subject, tenant: "shop-17")               // at one shop
        _ = found
    }

    func deviceLoginPage() async throws {
        let session = try await sessions.deviceLogin("any") { prompt in
            print("Open \(prompt.verificationURI.text) and enter \(prompt.userCode)")
        }
        _ = session
    }
}
