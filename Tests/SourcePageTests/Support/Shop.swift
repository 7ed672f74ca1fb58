import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

/// A shop in the sandbox that can be reached at Shopify's own URLs, and a mobile client of it.
struct Shop {
    static let id = "82920341806"
    static let domain = "example.myshopify.com"
    static let clientID = SandboxShopifyClient.publicMobile.id
    static let redirectURI = "shop.82920341806.app://callback"
    static let variant = "gid://shopify/ProductVariant/1"

    let sandbox: ShopSandbox
    let hosts: ProviderHosts
    let clock = ManualClock()
    let environment: IdentityEnvironment

    init(_ change: (inout SandboxConfiguration) -> Void = { _ in }) async throws {
        var settings = SandboxConfiguration()
        settings.clock = clock
        settings.shopify.issuer = "https://shopify.com/authentication/\(Self.id)"
        change(&settings)
        sandbox = try await ShopSandbox.start(settings)
        hosts = try ProviderHosts([
            ("https://\(Self.domain)", sandbox.storefront.origin), ("https://shopify.com", sandbox.origin),
        ])
        environment = IdentityEnvironment(transport: hosts, clock: clock)
    }

    /// A client with the arguments of the tutorial, and the environment that a server adds.
    func client(
        tokenStorage: (any AuthTokenStorage)? = nil,
        callbackExecutor: CallbackExecutor = .immediate
    ) -> AuthClient {
        AuthClient(
            shopDomain: Self.domain,
            clientId: Self.clientID,
            redirectUri: Self.redirectURI,
            storefrontAccessToken: sandbox.storefront.configuration.publicToken,
            tokenStorage: tokenStorage,
            environment: environment,
            callbackExecutor: callbackExecutor
        )
    }

    func buyer(_ behaviour: SandboxBuyer.Behaviour = .signIn) -> SandboxBuyer {
        SandboxBuyer(behaviour: behaviour, transport: hosts)
    }

    /// The URL to which the login page redirects the buyer's web view.
    func callback(of page: String) async throws -> URL {
        try #require(URL(string: try await buyer().login(at: page, redirectURI: Self.redirectURI)))
    }

    func storefront() throws -> StorefrontClient {
        StorefrontClient(
            configuration: try StorefrontConfiguration(
                shopDomain: Self.domain,
                authentication: .publicToken(sandbox.storefront.configuration.publicToken)
            ),
            environment: environment,
            retry: .none
        )
    }

    /// The checkout page as the buyer's browser shows it.
    func checkoutPage(_ url: String) async throws -> String {
        let response = try await hosts.send(HTTPRequest(method: .get, url: try HTTPURL(url)))
        return String(decoding: response.body, as: UTF8.self)
    }
}
