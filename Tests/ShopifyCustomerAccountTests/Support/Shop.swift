import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyCustomerAccount
import ShopifyGraphQL
import StorefrontSandbox
import TestDoubles
import TestGuides
import Testing

/// A shop with a signed-in buyer, and its Customer Account API at the discovered URL.
struct Shop {
    let sandbox: ShopSandbox
    let sessions: SessionManager
    let session: SessionID
    let client: CustomerAccountClient
    let account: CustomerAccount
    let clock = ManualClock()

    init(retry: RetryLimits = .none) async throws {
        var settings = SandboxConfiguration()
        settings.clock = clock
        sandbox = try await ShopSandbox.start(settings)
        let lab = sandbox.labConfiguration()
        var json = try #require(lab.json.object)
        json["providers"] = .object(["shopify": try #require(json["providers"]?["shopify-public"])])
        let configuration = try IdentityConfiguration(
            json: JSONValue.object(json).serialized,
            environmentVariables: lab.environment
        )
        let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        let configured = try ProviderRegistry(
            configuration,
            factories: [ShopifyProviderFactory()],
            environment: environment
        )
        let guest = StrictProvider(clock: clock, name: "other")
        let registry = try ProviderRegistry([try configured.provider(named: "shopify"), guest])
        sessions = SessionManager(providers: registry, store: InMemoryStore(), environment: environment)
        let buyer = SandboxBuyer(email: SandboxBuyerAccount.ada.email)
        session = try await LoginFlow(provider: "shopify", sessions: sessions, presenter: buyer).login().id
        client = CustomerAccountClient(
            configuration: try CustomerAccountConfiguration(
                shopDomain: String(sandbox.storefront.origin.dropFirst("http://".count)),
                // The discovered URL has another version, which this version must replace.
                apiVersion: .v2026_04,
                allowsLoopbackHTTP: true
            ),
            environment: environment,
            retry: retry
        )
        account = CustomerAccount(of: session, client: client, sessions: sessions)
    }

    static func with(retry: RetryLimits = .none, _ body: (Shop) async throws -> Void) async throws {
        let shop = try await Shop(retry: retry)
        try await cleaningUp(shop.sandbox.stop) { try await body(shop) }
    }
}
