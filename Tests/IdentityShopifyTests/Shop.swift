import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import StorefrontSandbox
import Testing

/// A shop on this machine with a client: sandbox, transport, clock and provider.
struct Shop {
    static let issuer = "https://shopify.com/authentication/82920341806"

    let sandbox: ShopSandbox
    let environment: IdentityEnvironment
    let clock: ManualClock
    var configuration: ShopifyProvider.Configuration

    var shopify: SandboxShopify { sandbox.shopify }

    /// Opens a fake shop at loopback addresses; its issuer has the form of Shopify's issuers.
    init(
        _ client: SandboxShopifyClient = .confidential,
        _ setUp: (inout SandboxShopifyConfiguration) -> Void = { _ in }
    ) async throws {
        clock = ManualClock()
        var settings = SandboxConfiguration()
        settings.clock = clock
        settings.shopify.issuer = Self.issuer
        setUp(&settings.shopify)
        sandbox = try await ShopSandbox.start(settings)
        environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        let type: ShopifyProvider.Client =
            switch client.kind {
            case .confidential: .confidential(Secret(client.secret ?? ""))
            case .publicMobile: .publicMobile
            case .publicWeb: .publicWeb(origin: client.javaScriptOrigins.first ?? "")
            case .app: .app
            }
        configuration = ShopifyProvider.Configuration(
            name: "shop",
            shopDomain: String(sandbox.storefront.origin.dropFirst("http://".count)),
            clientID: client.id,
            client: type
        )
        configuration.redirectURI = client.redirectURIs.first
        configuration.allowsLoopbackHTTP = true
        configuration.timeout = .seconds(60)
    }

    func provider(
        _ change: (inout ShopifyProvider.Configuration) -> Void = { _ in }
    ) throws -> ShopifyProvider {
        var configuration = configuration
        change(&configuration)
        return try ShopifyProvider(configuration, environment: environment)
    }

    /// Completes a login at Shopify's login page with a simulated buyer.
    func callback(
        _ provider: ShopifyProvider,
        _ options: LoginOptions = LoginOptions(),
        buyer: SandboxBuyer = SandboxBuyer()
    ) async throws -> (callback: LoginCallback, attempt: LoginAttempt) {
        let request = try await provider.authorizationRequest(options)
        let url = try await buyer.login(at: request.url.text, redirectURI: request.attempt.redirectURI)
        return (try LoginCallback(url: url), request.attempt)
    }

    func login(_ provider: ShopifyProvider, _ options: LoginOptions = LoginOptions()) async throws -> TokenSet {
        let (callback, attempt) = try await callback(provider, options)
        return try await provider.exchange(callback, for: attempt)
    }
}

extension SandboxShopifyClient {
    static let all: [SandboxShopifyClient] = [.confidential, .publicMobile, .publicWeb, .app]
}

extension AuthClient {
    /// The code of a login whose authorization URL the app built itself.
    func codeOfOwnURL(_ verifier: String) async throws -> String {
        let query = FormEncoding.encode([
            ("client_id", customerAccountsApiClientId), ("response_type", "code"),
            ("redirect_uri", customerAccountsApiRedirectUri), ("scope", "openid email customer-account-api:full"),
            ("state", "s"), ("code_challenge", generateCodeChallenge(for: verifier)),
            ("code_challenge_method", "S256"),
        ])
        let page = try await discoverAuthEndpoints().authorizationEndpoint
        let callback = try await SandboxBuyer().login(
            at: "\(page)?\(String(decoding: query, as: UTF8.self))",
            redirectURI: customerAccountsApiRedirectUri
        )
        return try LoginCallback(url: callback).value(of: "code")?.reveal() ?? ""
    }
}
