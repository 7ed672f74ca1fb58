import IdentityHTTP
import IdentityKit
import IdentityShopify
import IdentityTesting
import ShopifyGraphQL
import TestDoubles
import Testing

@Suite("Hosts of a shop's endpoints")
struct EndpointHostsTests {
    private static let discovery = "https://brand.example/.well-known/openid-configuration"
    private static let apiDiscovery = "https://brand.example/.well-known/customer-account-api"
    private static let names = ["authorization_endpoint", "token_endpoint", "jwks_uri", "end_session_endpoint"]

    private static func document(_ change: (inout JSONObject) -> Void = { _ in }) -> HTTPResponse {
        var document: JSONObject = ["issuer": .string("https://shopify.com/authentication/123")]
        for name in names { document[name] = .string("https://shopify.com/authentication/123/\(name)") }
        change(&document)
        return .json(document)
    }

    private func provider(
        _ transport: ScriptedTransport,
        _ clock: ManualClock = ManualClock(),
        _ change: (inout ShopifyProvider.Configuration) -> Void = { _ in }
    ) throws -> ShopifyProvider {
        var configuration = ShopifyProvider.Configuration(
            name: "shop",
            shopDomain: "brand.example",
            clientID: "client",
            client: .confidential(Secret("secret")),
            redirectURI: "https://app.example/callback"
        )
        configuration.shopID = "123"
        change(&configuration)
        return try ShopifyProvider(
            configuration,
            environment: IdentityEnvironment(transport: transport, clock: clock)
        )
    }

    private static let tokens = TokenSet(
        buyer: Buyer(issuer: "https://shopify.com/authentication/123", subject: "1"),
        accessToken: Secret("shcat_test"),
        issuedAt: ManualClock().now
    )

    @Test("an endpoint at a host that is not the shop's is refused, and nothing is sent there", arguments: names)
    func foreignEndpoint(name: String) async throws {
        let transport = ScriptedTransport([
            Self.discovery: Self.document { $0[name] = .string("https://evil.example/steal") }
        ])
        let error = await failure { try await provider(transport).authorizationRequest(LoginOptions()) }
        #expect(error?.kind == .rejected)
        #expect(error?.code == .discoveryFailed)
        #expect(error?.message.contains(name) == true)
        #expect(error?.message.contains("evil") == false)
        #expect(error?.hint?.contains("endpointHosts") == true)
        #expect(error?.providerResponse?.error == "evil.example")
        #expect(transport.urls == [Self.discovery])
    }

    @Test(
        "Shopify's host and the shop domain with its subdomains are accepted, and no similar host",
        arguments: [
            ("shopify.com", true), ("SHOPIFY.com", true), ("brand.example", true), ("account.brand.example", true),
            ("a.b.brand.example", true), ("accounts.shopify.com", false), ("shopify.com.evil.example", false),
            ("evilshopify.com", false), ("evilbrand.example", false), (".brand.example", false),
            ("brand.example.evil.example", false), ("example", false), ("other.myshopify.com", false),
            ("127.0.0.1", false),
        ]
    )
    func lookalikes(host: String, isAccepted: Bool) async throws {
        let transport = ScriptedTransport([
            Self.discovery: Self.document { $0["token_endpoint"] = .string("https://\(host)/token") }
        ])
        let error = await failure { try await provider(transport).authorizationRequest(LoginOptions()) }
        #expect((error == nil) == isAccepted)
    }

    @Test("a configured list replaces the default hosts, and a listed host does not include its subdomains")
    func override() async throws {
        func isAccepted(_ host: String, _ hosts: [String]) async throws -> Bool {
            let transport = ScriptedTransport([
                Self.discovery: Self.document { document in
                    for name in Self.names { document[name] = .string("https://\(host)/\(name)") }
                }
            ])
            let provider = try provider(transport) { $0.endpointHosts = hosts }
            return await failure { try await provider.authorizationRequest(LoginOptions()) } == nil
        }
        #expect(try await isAccepted("account.other.example", ["shopify.com", "Account.Other.example"]))
        #expect(try await !isAccepted("x.account.other.example", ["account.other.example"]))
        #expect(try await !isAccepted("shopify.com", ["account.other.example"]))
        #expect(try await !isAccepted("account.brand.example", ["account.other.example"]))
    }

    @Test("a configured endpoint may have any host and replaces the discovered one")
    func configuredEndpoint() async throws {
        let transport = ScriptedTransport([
            Self.discovery: Self.document { $0["token_endpoint"] = .string("https://evil.example/token") }
        ])
        let provider = try provider(transport) {
            $0.endpoints.token = try? HTTPURL("https://proxy.example/token")
        }
        let request = try await provider.authorizationRequest(LoginOptions())
        _ = await failure {
            try await provider.exchange(
                try LoginCallback(url: "/?code=c&state=\(request.attempt.state.reveal())"),
                for: request.attempt
            )
        }
        #expect(transport.urls == [Self.discovery, "https://proxy.example/token"])
    }

    @Test(
        "no redirect is followed from the shop's host to a host that is not in the list",
        arguments: [
            ("https://evil.example/x", false), ("https://permanent.myshopify.com/x", false),
            ("https://account.brand.example/x", true), ("https://brand.example/x", true),
            ("https://shopify.com/x", true),
        ]
    )
    func redirects(target: String, isFollowed: Bool) async throws {
        let transport = ScriptedTransport([
            Self.discovery: .redirect(to: target), Self.apiDiscovery: .redirect(to: target), target: Self.document(),
        ])
        let login = await failure { try await provider(transport).authorizationRequest(LoginOptions()) }
        #expect((login == nil) == isFollowed)
        #expect(transport.urls.contains(target) == isFollowed)
        let api = await failure { try await provider(transport).buyerProfile(for: Self.tokens) }
        #expect(api?.code == .discoveryFailed)
        #expect(transport.urls.filter { $0 == target }.count == (isFollowed ? 2 : 0))
        guard !isFollowed else { return }
        let host = try HTTPURL(target).host
        for error in [login, api] {
            #expect(error?.kind == .rejected)
            #expect(error?.providerResponse?.error == host)
            #expect(error?.providerResponse?.status == 301)
        }
    }

    @Test("no access token goes to an API at a host that is not in the list")
    func foreignAPI() async throws {
        let evil = "https://evil.example/customer/api/2026-10/graphql"
        let transport = ScriptedTransport([Self.apiDiscovery: .json(["graphql_api": .string(evil)])])
        let error = await failure { try await provider(transport).buyerProfile(for: Self.tokens) }
        #expect(error?.kind == .rejected)
        #expect(error?.providerResponse?.error == "evil.example")
        #expect(transport.urls == [Self.apiDiscovery])
        let listed = try provider(transport) { $0.endpointHosts = ["evil.example"] }
        _ = await failure { try await listed.buyerProfile(for: Self.tokens) }
        #expect(transport.urls.last == evil)
    }

    @Test("after a failed fetch of the API's document, calls during the pause fail without a request")
    func apiPause() async throws {
        let transport = ScriptedTransport([Self.apiDiscovery: HTTPResponse(status: 503)])
        let provider = try provider(transport)
        for _ in 0..<5 {
            #expect(await failure { try await provider.buyerProfile(for: Self.tokens) }?.kind == .retryLater)
        }
        #expect(transport.urls.count == 1)
    }

    @Test("after status 430, calls for the same shop fail without a request, in any spelling of its domain")
    func breaker() async throws {
        let clock = ManualClock()
        let api = "https://brand.example/customer/api/2026-10/graphql"
        let transport = ScriptedTransport([
            Self.apiDiscovery: .json(["graphql_api": .string(api)]), api: HTTPResponse(status: 430),
        ])
        for domain in ["Brand.example", "brand.EXAMPLE"] {
            let provider = try provider(transport, clock) { $0.shopDomain = domain }
            let error = await failure { try await provider.buyerProfile(for: Self.tokens) }
            #expect(error?.code == .securityRejection)
        }
        #expect(transport.urls.filter { $0 == api }.count == 1)
    }

    @Test(
        "an empty list of hosts, or one with anything but host names, is a configuration error",
        arguments: [
            [], [""], ["https://a.example"], ["a.example/x"], ["a.example:8443"], ["*.a.example"], ["u@a.example"],
        ]
    )
    func badList(hosts: [String]) async throws {
        let error = await failure { try provider(ScriptedTransport([:])) { $0.endpointHosts = hosts } }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("endpointHosts") == true)
    }
}
