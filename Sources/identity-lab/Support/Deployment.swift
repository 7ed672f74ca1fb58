internal import IdentityBolt
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import IdentityShopify
internal import ShopifyStorefront

/// Providers, sessions and carts, put together as an app would.
struct Deployment: Sendable {
    let environment: IdentityEnvironment
    let providers: ProviderRegistry
    let sessions: SessionManager
    /// Follows the sessions' lives; nil where no storefront is configured.
    let carts: CartAdapter?
    private let lostTokens: LostTokens

    init(
        _ configuration: IdentityConfiguration,
        store: any SessionStore,
        transport: any HTTPTransport,
        observers: [any IdentityObserver] = []
    ) throws {
        let environment = IdentityEnvironment(transport: transport)
        let providers = try Self.providers(configuration, environment)
        try self.init(configuration, providers, store, environment, observers, LostTokens())
    }

    init(
        _ configuration: IdentityConfiguration,
        _ providers: ProviderRegistry,
        _ store: any SessionStore,
        _ environment: IdentityEnvironment,
        _ observers: [any IdentityObserver],
        _ lostTokens: LostTokens
    ) throws {
        self.environment = environment
        self.providers = providers
        self.lostTokens = lostTokens
        sessions = SessionManager(
            providers: providers,
            store: store,
            environment: environment,
            observers: observers
        )
        guard let section = configuration.storefront else {
            carts = nil
            return
        }
        let client = StorefrontClient(configuration: try StorefrontConfiguration(section), environment: environment)
        carts = CartAdapter(client: client, sessions: sessions, store: store)
    }

    /// The providers that a configuration describes.
    static func providers(
        _ configuration: IdentityConfiguration,
        _ environment: IdentityEnvironment
    ) throws -> ProviderRegistry {
        try ProviderRegistry(
            configuration,
            factories: [
                ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(), OpenIDProviderFactory(),
            ],
            environment: environment
        )
    }

    /// The cart adapter, where a storefront is configured.
    func requireCarts() throws -> CartAdapter {
        guard let carts else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "Configuration member storefront is missing.",
                hint: "Carts need the shop's domain and a Storefront token there."
            )
        }
        return carts
    }

    static func systemTransport() throws -> CurlTransport {
        do {
            return try CurlTransport()
        } catch {
            throw IdentityError(.retryLater, .systemFailure, "The HTTP client cannot be started.", cause: error)
        }
    }

    /// The name of the provider to use: the one that was asked for, or the only one there is.
    func providerName(_ asked: String?) throws -> String {
        let names = providers.names
        if let asked { return try providers.provider(named: asked).descriptor.name }
        guard names.count == 1, let only = names.first else {
            throw IdentityError(
                .configuration,
                .providerUnknown,
                names.isEmpty ? "No provider is configured." : "Several providers are configured.",
                hint: names.isEmpty
                    ? "Add one under \"providers\"." : "Choose with --provider: \(names.joined(separator: ", "))."
            )
        }
        return only
    }

    /// Waits until renewals that are under way have been saved, also when the command itself was cancelled; not for ever.
    func drain() async {
        await finishing { await sessions.drain() }
    }

    /// The same, after finishing what earlier commands that died have left half done.
    func repairAndDrain() async {
        await finishing {
            // What cannot be repaired now is left to the next one.
            _ = try? await sessions.repair()
            return await sessions.drain()
        }
    }

    /// Runs what ends a command, for 40 seconds at most, and notes the sessions whose new tokens it could not store.
    private func finishing(_ work: @escaping @Sendable () async -> Set<SessionID>) async {
        await Task {
            await withTaskGroup(of: Set<SessionID>.self) { group in
                group.addTask { await work() }
                group.addTask {
                    try? await Task.sleep(for: .seconds(40))
                    return []
                }
                for await sessions in group {
                    lostTokens.note(sessions)
                    group.cancelAll()
                }
            }
        }.value
    }

    /// Runs a piece of work and drains after it, however it ended.
    func draining<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            let value = try await work()
            await drain()
            return value
        } catch {
            await drain()
            throw error
        }
    }
}
