internal import IdentityBolt
internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import IdentityShopify
public import ShopifyCustomerAccount
public import ShopifyGraphQL
public import ShopifyStorefront

/// Creates all parts that a configuration file describes: providers, sessions, Storefront client, carts and Customer Account client.
///
/// ```swift
/// let setup = try await IdentitySetup.open(try IdentityConfiguration(contentsOf: "identity.json")) { section in
///     try await SQLiteStore.open(SQLiteStore.Configuration(section))
/// }
/// let routes = try SignInRoutes(
///     sessions: setup.sessions, carts: setup.carts, configuration: .init(publicOrigin: "https://shop.example"))
/// ```
///
/// The app opens the store, so this module links neither SQLite nor libpq. Create the setup once, when the process starts.
public struct IdentitySetup: Sendable {
    /// The options that the configuration file does not contain.
    public struct Options: Sendable {
        /// The factories of the supported kinds of providers, by default those of this package.
        public var factories: [any ProviderFactory] = [
            ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(), OpenIDProviderFactory(),
        ]
        /// The configuration of the session manager, such as the lifetimes and limits of sessions.
        public var sessions = SessionManager.Configuration()
        /// The rules of ``IdentitySetup/carts``, for example what happens to a cart at a logout.
        public var carts = CartPolicy()
        /// The observers that receive the events of logins and sessions.
        ///
        /// If ``IdentitySetup/open(_:environment:options:store:)`` creates the environment, these observers also receive the events of
        /// providers. Otherwise the observers of your `IdentityEnvironment` receive the events of providers.
        public var observers: [any IdentityObserver] = []
        /// The observers that receive the events of the Storefront API and of the Customer Account API.
        public var graphQLObservers: [any GraphQLObserver] = []

        /// Creates options with the default values.
        public init() {}
    }

    /// The transport, clock and random source that all parts of the setup use.
    public let environment: IdentityEnvironment
    /// The providers.
    public let providers: ProviderRegistry
    /// The store that the app has opened.
    public let store: any SessionStore
    /// The session manager.
    public let sessions: SessionManager
    /// The Storefront client; nil without the section `storefront`.
    public let storefront: StorefrontClient?
    /// The carts of the sessions; nil without the section `storefront`.
    public let carts: CartAdapter?
    /// The Customer Account client; nil without the section `customerAccount`.
    public let customerAccounts: CustomerAccountClient?

    /// Checks the configuration, opens the store, and creates all parts of the setup.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - environment: By default with a `CurlTransport`, the system's clock and random source, and the observers of `options`.
    ///   - options: What the file does not contain.
    ///   - openStore: Opens the store. Its argument is the section `store`, or nil if the file has no such section. This method checks the
    ///     other sections before it calls `openStore`.
    /// - Returns: The setup.
    /// - Throws: `IdentityError` that names the invalid member or the provider; the error of `openStore`; `HTTPTransportError` when the
    ///   default transport cannot be started.
    public static func open(
        _ configuration: IdentityConfiguration,
        environment: IdentityEnvironment? = nil,
        options: Options = Options(),
        store openStore: (ConfigurationSection?) async throws -> any SessionStore
    ) async throws -> IdentitySetup {
        let environment =
            try environment ?? IdentityEnvironment(transport: CurlTransport(), observers: options.observers)
        let parts = try Parts(configuration, environment, options)
        return IdentitySetup(parts, try await openStore(configuration.store), environment, options)
    }

    /// Creates all parts of the setup with a store that is already open.
    ///
    /// - Parameters:
    ///   - configuration: The configuration; its section `store` is ignored.
    ///   - store: The store.
    ///   - environment: Transport, clock and random source.
    ///   - options: What the file does not contain.
    /// - Throws: `IdentityError` that names the invalid member or the provider.
    public init(
        _ configuration: IdentityConfiguration,
        store: any SessionStore,
        environment: IdentityEnvironment,
        options: Options = Options()
    ) throws {
        self.init(try Parts(configuration, environment, options), store, environment, options)
    }

    private init(_ parts: Parts, _ store: any SessionStore, _ environment: IdentityEnvironment, _ options: Options) {
        self.environment = environment
        self.store = store
        providers = parts.providers
        storefront = parts.storefront
        customerAccounts = parts.customerAccounts
        let sessions = SessionManager(
            providers: parts.providers,
            store: store,
            environment: environment,
            configuration: options.sessions,
            observers: options.observers
        )
        self.sessions = sessions
        carts = parts.storefront.map {
            CartAdapter(client: $0, sessions: sessions, store: store, policy: options.carts)
        }
    }

    /// Returns ``carts``, the cart adapter.
    ///
    /// - Throws: `IdentityError` if the configuration has no section `storefront`.
    public func requireCarts() throws(IdentityError) -> CartAdapter {
        guard let carts else {
            throw IdentityError(
                configuration: "Configuration member storefront is missing.",
                hint:
                    "Add \"storefront\" with shopDomain to the configuration. Also set privateToken or publicToken of the section, unless "
                    + "the app has tokenless access."
            )
        }
        return carts
    }
}

/// The parts of a setup that need no store, so that `open` can create them before it opens the store.
private struct Parts {
    let providers: ProviderRegistry
    let storefront: StorefrontClient?
    let customerAccounts: CustomerAccountClient?

    init(
        _ configuration: IdentityConfiguration,
        _ environment: IdentityEnvironment,
        _ options: IdentitySetup.Options
    ) throws {
        providers = try ProviderRegistry(configuration, factories: options.factories, environment: environment)
        storefront = try configuration.storefront.map {
            StorefrontClient(
                configuration: try StorefrontConfiguration($0),
                environment: environment,
                observers: options.graphQLObservers
            )
        }
        customerAccounts = try configuration.customerAccount.map {
            CustomerAccountClient(
                configuration: try CustomerAccountConfiguration($0),
                environment: environment,
                observers: options.graphQLObservers
            )
        }
    }
}
