import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import StorefrontSandbox
import TestDoubles
import Testing

@Suite("Discovery of a shop")
struct DiscoveryTests {
    @Test(
        "a discovery document whose issuer is not Shopify's, or is another shop's, is refused",
        arguments: [
            "https://shopify.com/authentication/1", "https://shopify.com.evil.example/authentication/82920341806",
            "https://shopify.com/authentication/82920341806/", "https://shopify.com/authentication/",
            "https://shopify.com/authentication/0082920341806", "https://shopify.com/authentication/٣",
            "http://shopify.com/authentication/82920341806",
        ]
    )
    func lyingIssuer(_ issuer: String) async throws {
        let shop = try await Shop()
        let isAnotherShop = issuer == "https://shopify.com/authentication/1"
        for shopID in isAnotherShop ? ["82920341806"] : ["82920341806", nil] {
            shop.shopify.planFault(.member("issuer", .string(issuer)), on: .discovery)
            let error = await failure {
                try await shop.provider { $0.shopID = shopID }.authorizationRequest(LoginOptions())
            }
            #expect(error?.kind == .rejected)
            #expect(error?.code == .discoveryIssuerMismatch)
        }
    }

    @Test("without a shop id any shop's issuer is accepted, and a login is bound to the discovered one")
    func boundIssuer() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        #expect(try await provider.authorizationRequest(LoginOptions()).attempt.issuer == Shop.issuer)
        shop.shopify.planFault(.claim("iss", .string("https://shopify.com/authentication/1")), on: .token)
        #expect(await failure { try await shop.login(provider) }?.code == .idTokenIssuer)
    }

    @Test("a login whose authorization URL the app built itself is bound to the discovered issuer too")
    func boundIssuerOfOwnURL() async throws {
        let shop = try await Shop(.publicMobile)
        let client = AuthClient(provider: try shop.provider())
        for isForeign in [true, false] {
            let verifier = client.generateCodeVerifier()
            let code = try await client.codeOfOwnURL(verifier)
            if isForeign {
                shop.shopify.planFault(.claim("iss", .string("https://shopify.com/authentication/1")), on: .token)
            }
            let error = await failure { try await client.requestAccessToken(code: code, codeVerifier: verifier) }
            #expect(error?.code == (isForeign ? .idTokenIssuer : nil))
        }
    }

    @Test("an endpoint that is not https is refused")
    func insecureEndpoint() async throws {
        let shop = try await Shop()
        shop.shopify.planFault(.member("token_endpoint", .string("http://example.com/token")), on: .discovery)
        let error = await failure { try await shop.provider().authorizationRequest(LoginOptions()) }
        #expect(error?.code == .discoveryFailed)
    }

    @Test(
        "404, an HTML page or a redirect without Location instead of the document fails with discovery_failed",
        arguments: [
            SandboxFault.htmlPage(status: 404), .htmlPage(status: 200),
            .redirect(to: "https://example.com/.well-known/openid-configuration", status: 301)
                .and(.header("Location", nil)),
        ]
    )
    func noDocument(_ fault: SandboxFault) async throws {
        let shop = try await Shop()
        shop.shopify.planFault(fault, on: .discovery)
        let error = await failure { try await shop.provider().authorizationRequest(LoginOptions()) }
        #expect(error?.code == .discoveryFailed)
        for advice in ["shopDomain", "myshopify.com", "customer accounts"] {
            #expect(error?.hint?.contains(advice) == true, "\(error?.hint ?? "")")
        }
    }

    private func provider(
        _ transport: ScriptedTransport,
        _ change: (inout ShopifyProvider.Configuration) -> Void
    ) throws -> ShopifyProvider {
        var configuration = ShopifyProvider.Configuration(
            name: "shop",
            shopDomain: "brand.example",
            clientID: "client",
            client: .publicMobile
        )
        configuration.redirectURI = "shop.123.app://callback"
        change(&configuration)
        return try ShopifyProvider(configuration, environment: IdentityEnvironment(transport: transport))
    }

    @Test("if there is no discovery document, Shopify's fixed endpoints are used for a configured shop id only")
    func fallback() async throws {
        let transport = ScriptedTransport([:])
        let known = try provider(transport) { $0.shopID = "123" }
        let url = try await known.authorizationRequest(LoginOptions()).url
        #expect(url.text.hasPrefix("https://shopify.com/authentication/123/oauth/authorize?"))
        #expect(transport.urls == ["https://brand.example/.well-known/openid-configuration"])
        let unknown = try provider(transport) { _ in }
        #expect(await failure { try await unknown.authorizationRequest(LoginOptions()) }?.code == .discoveryFailed)
        let sandboxed = try provider(transport) { ($0.shopID, $0.issuers) = ("123", ["https://id.example"]) }
        #expect(await failure { try await sandboxed.authorizationRequest(LoginOptions()) }?.code == .discoveryFailed)
    }

    @Test("redirects of the document are followed over https only, up to the limit")
    func redirects() async throws {
        let path = "/.well-known/openid-configuration"
        let document: HTTPResponse = .json([
            "issuer": .string("https://shopify.com/authentication/123"),
            "authorization_endpoint": .string("https://account.brand.example/authentication/oauth/authorize"),
        ])
        let honest = ScriptedTransport([
            "https://brand.example" + path: .redirect(to: "https://www.brand.example" + path),
            "https://www.brand.example" + path: document,
        ])
        let url = try await provider(honest) { _ in }.authorizationRequest(LoginOptions()).url
        #expect(url.text.hasPrefix("https://account.brand.example/authentication/oauth/authorize?"))
        let downgrading = ScriptedTransport([
            "https://brand.example" + path: .redirect(to: "http://www.brand.example" + path),
            "http://www.brand.example" + path: document,
        ])
        #expect(
            await failure { try await provider(downgrading) { _ in }.authorizationRequest(LoginOptions()) }?.code
                == .discoveryFailed
        )
        #expect(downgrading.urls.count == 1)
        let circular = ScriptedTransport(["https://brand.example" + path: .redirect(to: "https://brand.example" + path)]
        )
        #expect(
            await failure { try await provider(circular) { _ in }.authorizationRequest(LoginOptions()) }?.code
                == .discoveryFailed
        )
        #expect(circular.urls.count == 4)
    }

    @Test("with a shop id alone, discovery starts at shopify.com")
    func shopIDAlone() async throws {
        let transport = ScriptedTransport([:])
        _ = try await provider(transport) { ($0.shopDomain, $0.shopID) = (nil, "123") }
            .authorizationRequest(LoginOptions())
        #expect(transport.urls == ["https://shopify.com/authentication/123/.well-known/openid-configuration"])
    }

    @Test(
        "the Customer Account API is called with the configured version at the discovered URL",
        arguments: [
            (
                "https://shopify.com/123/account/customer/api/2027-01/graphql",
                "https://shopify.com/123/account/customer/api/2026-10/graphql"
            ),
            (
                "https://account.brand.example/customer/api/unstable/graphql",
                "https://account.brand.example/customer/api/2026-10/graphql"
            ),
            ("https://account.brand.example/graphql", "https://account.brand.example/graphql"),
        ]
    )
    func apiVersion(_ named: String, _ called: String) async throws {
        let transport = ScriptedTransport([
            "https://brand.example/.well-known/customer-account-api": .json(["graphql_api": .string(named)])
        ])
        let error = await failure {
            try await provider(transport) { _ in }.buyerProfile(for: Self.tokens)
        }
        #expect(error?.kind == .configuration)
        #expect(transport.urls.last == called)
    }

    @Test("a configured API URL is used unchanged, and Shopify's fixed URL only for a configured shop id")
    func apiAddress() async throws {
        let transport = ScriptedTransport([:])
        _ = await failure {
            try await provider(transport) {
                $0.endpoints.api = try? HTTPURL("https://api.example/customer/api/2026-04/graphql")
            }.buyerProfile(for: Self.tokens)
        }
        #expect(transport.urls == ["https://api.example/customer/api/2026-04/graphql"])
        _ = await failure { try await provider(transport) { $0.shopID = "123" }.buyerProfile(for: Self.tokens) }
        #expect(transport.urls.last == "https://shopify.com/123/account/customer/api/2026-10/graphql")
        let error = await failure { try await provider(transport) { _ in }.buyerProfile(for: Self.tokens) }
        #expect(error?.code == .discoveryFailed)
        #expect(transport.urls.last == "https://brand.example/.well-known/customer-account-api")
    }

    @Test("with a shop id alone, the API is called at its fixed URL, and no document is requested")
    func apiOfShopID() async throws {
        let transport = ScriptedTransport([:])
        _ = await failure {
            try await provider(transport) { ($0.shopDomain, $0.shopID) = (nil, "123") }.buyerProfile(for: Self.tokens)
        }
        #expect(transport.urls == ["https://shopify.com/123/account/customer/api/2026-10/graphql"])
    }

    private static var tokens: TokenSet {
        TokenSet(
            buyer: Buyer(issuer: "https://shopify.com/authentication/123", subject: "1"),
            accessToken: Secret("shcat_test"),
            issuedAt: ManualClock().now
        )
    }
}
