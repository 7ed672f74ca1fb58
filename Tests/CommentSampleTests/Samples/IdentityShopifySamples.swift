import FoundationEssentials
import IdentityKit
import IdentityShopify

private struct Keychain: Sendable {
    func set(_ name: String, to secret: String?) async throws {}
    func removeAll() async throws {}
}

private let secrets = Keychain()

struct Vault: AuthTokenStorage {
    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws {
        try await secrets.set("shopify-refresh-token", to: tokens.refreshToken)
        if let idToken = tokens.idToken { try await secrets.set("shopify-id-token", to: idToken) }
    }
    func removeTokens() async throws { try await secrets.removeAll() }
}

// swift-format-ignore
extension App {
    func shopSignOn() throws {
        let link = try ShopSignOnLink(shopDomain: "shop.example")
        redirect(to: try link.url(for: session.buyer, returningTo: "/collections/sale"))
    }

    func shopifyOptions() {
        let options = LoginOptions.shopify { $0.locale = "fr-CA" }
        _ = options
    }

    func shopifyProvider() throws {
        var configuration = ShopifyProvider.Configuration(
            name: "shop", shopDomain: "example.myshopify.com", clientID: clientID, client: .confidential(clientSecret)
        )
        configuration.redirectURI = "https://app.example/callback/shopify"
        let provider = try ShopifyProvider(configuration, environment: environment)
        _ = provider
    }

    func shopifyConfiguration() {
        var configuration = ShopifyProvider.Configuration(
            name: "shop", shopDomain: "example.myshopify.com", clientID: clientID, client: .publicMobile
        )
        configuration.shopID = "1234567"
        _ = configuration
    }

    func authClient(callback: URL) async throws {
        let client = AuthClient(shopDomain: "your-shop.myshopify.com", clientId: "…", redirectUri: "shop.1.app://callback")
        let codeVerifier = client.generateCodeVerifier()
        let url = try await client.buildAuthorizationUrl(codeVerifier: codeVerifier)
        // … the buyer signs in, the web view is redirected to `callback` …
        guard let code = client.handleCallback(url: callback) else { return }
        let token = try await client.requestAccessToken(code: code, codeVerifier: codeVerifier)
        _ = (url, token)
    }
}
