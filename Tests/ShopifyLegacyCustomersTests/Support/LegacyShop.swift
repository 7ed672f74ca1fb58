import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyLegacyCustomers
import ShopifyStorefront
import StorefrontSandbox
import TestDoubles

/// A shop with legacy accounts, one of which is Ada's.
struct LegacyShop {
    static let email = "ada@example.com"
    static let password = Secret("difference engine")

    let sandbox: ShopSandbox
    let client: StorefrontClient
    let provider: LegacyPasswordProvider
    let sessions: SessionManager
    let carts: CartAdapter
    let clock = ManualClock()
    let context = StorefrontContext(buyerIP: "203.0.113.7")

    init(
        store: any SessionStore = InMemoryStore(),
        transport: (any HTTPTransport)? = nil,
        observers: [any IdentityObserver] = []
    ) async throws {
        var settings = SandboxConfiguration()
        settings.clock = clock
        sandbox = try await ShopSandbox.start(settings)
        sandbox.storefront.addLegacyCustomer(email: Self.email, password: Self.password.reveal())
        let environment = IdentityEnvironment(transport: try transport ?? CurlTransport(), clock: clock)
        client = try Self.client(of: "sandbox.example", sandbox, environment)
        provider = LegacyPasswordProvider(client: client, environment: environment)
        sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: environment,
            observers: observers
        )
        carts = CartAdapter(client: client, sessions: sessions, store: store)
    }

    static func client(
        of shopDomain: String,
        _ sandbox: ShopSandbox,
        _ environment: IdentityEnvironment
    ) throws -> StorefrontClient {
        StorefrontClient(
            configuration: try StorefrontConfiguration(
                shopDomain: shopDomain,
                authentication: .privateToken(Secret(sandbox.storefront.configuration.privateToken)),
                endpoint: try HTTPURL(sandbox.storefront.endpoint),
                allowsLoopbackHTTP: true
            ),
            environment: environment,
            retry: .none
        )
    }

    func multipass(_ secret: String? = nil) throws -> Multipass {
        try Multipass(
            shopDomain: "sandbox.example",
            secret: Secret(secret ?? sandbox.storefront.configuration.multipassSecret),
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        )
    }

    func signIn(_ password: Secret = password) async throws -> SessionID {
        let tokens = try await provider.signIn(email: Self.email, password: password, in: context)
        return try await sessions.establish(tokens, provider: provider.descriptor.name).id
    }

    func account(_ session: SessionID) -> LegacyCustomerAccount {
        LegacyCustomerAccount(of: session, provider: provider, sessions: sessions, context: context)
    }

    static func with(
        store: any SessionStore = InMemoryStore(),
        transport: (any HTTPTransport)? = nil,
        observers: [any IdentityObserver] = [],
        _ body: (LegacyShop) async throws -> Void
    ) async throws {
        let shop = try await LegacyShop(store: store, transport: transport, observers: observers)
        try await cleaningUp(shop.sandbox.stop) { try await body(shop) }
    }
}
