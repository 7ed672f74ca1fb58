internal import IdentityBolt
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import IdentityShopify
internal import ShopifyStorefront

/// The providers, sessions and carts of a configuration.
struct Deployment: Sendable {
    let environment: IdentityEnvironment
    let providers: ProviderRegistry
    let sessions: SessionManager
    /// The cart adapter; nil if no storefront is configured.
    let carts: CartAdapter?
    private let nonDurableTokens: NonDurableTokens

    init(
        _ configuration: IdentityConfiguration,
        store: any SessionStore,
        transport: any HTTPTransport,
        observers: [any IdentityObserver] = []
    ) throws {
        let environment = IdentityEnvironment(transport: transport)
        let providers = try Self.providers(configuration, environment)
        try self.init(configuration, providers, store, environment, observers, NonDurableTokens())
    }

    init(
        _ configuration: IdentityConfiguration,
        _ providers: ProviderRegistry,
        _ store: any SessionStore,
        _ environment: IdentityEnvironment,
        _ observers: [any IdentityObserver],
        _ nonDurableTokens: NonDurableTokens
    ) throws {
        self.environment = environment
        self.providers = providers
        self.nonDurableTokens = nonDurableTokens
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

    /// Creates the providers of a configuration.
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

    /// Returns the cart adapter or throws if no storefront is configured.
    func requireCarts() throws -> CartAdapter {
        guard let carts else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "Configuration member storefront is missing.",
                hint: "Add \"storefront\" with shopDomain and privateToken to the configuration."
            )
        }
        return carts
    }

    static func systemTransport() throws -> CurlTransport {
        do {
            return try CurlTransport()
        } catch {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "The HTTP client could not be started.",
                hint: "Check that libcurl is installed, and that the process may open files and start threads.",
                cause: error
            )
        }
    }

    /// The name of the provider to use: the requested one, or the only configured one.
    func providerName(_ requested: String?) throws -> String {
        let names = providers.names
        if let requested, names.contains(where: { $0.isIdentical(to: requested) }) { return requested }
        guard requested == nil, names.count == 1, let only = names.first else {
            throw IdentityError(
                .configuration,
                .providerUnknown,
                names.isEmpty
                    ? "No provider is configured."
                    : requested == nil
                        ? "Several providers are configured." : "No provider with the requested name is configured.",
                hint: names.isEmpty
                    ? "Add one under \"providers\"." : "Choose one with --provider: \(names.joined(separator: ", "))."
            )
        }
        return only
    }

    /// Waits until running refreshes have been saved, for 40 seconds at most, also after the command was cancelled.
    func drain() async {
        await finishing { await sessions.drain() }
    }

    /// Completes the interrupted refreshes of earlier commands, then drains.
    func repairAndDrain() async {
        await finishing {
            // Sessions that cannot be repaired now are left to the next command.
            _ = try? await sessions.repair()
            return await sessions.drain()
        }
    }

    /// Runs the end of a command for 40 seconds at most, and records the sessions whose new tokens could not be stored.
    private func finishing(_ work: @escaping @Sendable () async -> Set<SessionID>) async {
        await Task {
            await withTaskGroup(of: Set<SessionID>.self) { group in
                group.addTask { await work() }
                group.addTask {
                    try? await Task.sleep(for: .seconds(40))
                    return []
                }
                for await sessions in group {
                    nonDurableTokens.add(sessions)
                    group.cancelAll()
                }
            }
        }.value
    }

    /// Runs an operation and drains after it, also when it throws.
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
