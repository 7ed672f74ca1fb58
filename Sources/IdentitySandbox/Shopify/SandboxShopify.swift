internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// The sandbox's Shopify Customer Accounts: discovery, authorization, tokens, keys, logout and the Customer Account API.
///
/// Both endpoint shapes are served at once and share their state: the platform's at ``platformOrigin``, the account domain's
/// at ``accountOrigin``. Discovery is answered at both and, in the configured shape, at the shop's own domain
/// (``SandboxStorefront/origin``), where a client looks for it.
public final class SandboxShopify: SandboxService {
    struct State: Sendable {
        var ledger: GrantLedger
        var desk = LoginDesk(brand: "Shopify", cookieName: "sandbox_shopify")
        var keyring = SigningKeyring(owner: "shopify", keyIDPrefix: "id_")
        var accessTokenLifetime: Duration
        var clients: [SandboxShopifyClient]
        /// Storefront tokens and the access tokens that they were exchanged for.
        var exchangedTokens: [String: String] = [:]
        /// What customers have changed, by their numbers.
        var customers: [Int: CustomerRecord] = [:]
    }

    /// Where requests are noted and misbehaviours planned.
    public let journal = SandboxJournal()
    /// The origin that stands for `https://shopify.com`.
    public let platformOrigin: String
    /// The origin that stands for the shop's account domain.
    public let accountOrigin: String
    /// The number of the shop.
    public let shopID: Int
    /// The `iss` of ID tokens and of both discovery documents.
    public let issuer: String

    let configuration: SandboxShopifyConfiguration
    let codeLifetime: Duration
    let clock: any IdentityClock
    let directory: BuyerDirectory
    let state: Mutex<State>

    init(_ configuration: SandboxConfiguration, directory: BuyerDirectory, platform: String, account: String) {
        self.configuration = configuration.shopify
        self.directory = directory
        clock = configuration.clock
        codeLifetime = configuration.authorizationCodeLifetime
        platformOrigin = platform
        accountOrigin = account
        shopID = configuration.shopify.shopID
        issuer = configuration.shopify.issuer ?? "\(platform)/authentication/\(configuration.shopify.shopID)"
        state = Mutex(
            State(
                ledger: GrantLedger(reuse: configuration.tokenReuse),
                accessTokenLifetime: configuration.accessTokenLifetime,
                clients: configuration.shopify.clients
            )
        )
    }

    // MARK: Live changes

    /// The registered clients.
    public var clients: [SandboxShopifyClient] { state.withLock { $0.clients } }

    /// Registers a client or replaces the one of that id.
    public func register(_ client: SandboxShopifyClient) {
        state.withLock { state in
            state.clients.removeAll { $0.id == client.id }
            state.clients.append(client)
        }
    }

    /// Registers a redirect URI at every client, compared byte for byte; of a loopback URI the port may differ.
    public func register(redirectURI: String) {
        state.withLock { state in
            for index in state.clients.indices { state.clients[index].redirectURIs.append(redirectURI) }
        }
    }

    /// Sets how long access tokens live that are issued from now on.
    public func setAccessTokenLifetime(_ lifetime: Duration) {
        state.withLock { $0.accessTokenLifetime = lifetime }
    }

    /// Makes a new key sign; the old ones stay published unless told otherwise.
    public func rotateSigningKey(keepingOld keepsOld: Bool = true) {
        state.withLock { $0.keyring.rotate(keepsOld: keepsOld) }
    }

    /// Kills every token; a refresh is answered `invalid_grant` from now on.
    public func revokeAll() {
        state.withLock { $0.ledger.revokeAll() }
    }

    /// Makes every access token expired; refreshing still works.
    public func expireAccessTokens() {
        let now = clock.now
        state.withLock { $0.ledger.expireAccessTokens(at: now) }
    }

    /// Signs all browsers out, so that the next login shows its page again.
    public func signOutBrowsers() {
        state.withLock { $0.desk.closeAllSessions() }
    }

    /// The Customer Account API's URL, as the platform's discovery document names it.
    public var customerAccountEndpoint: String { endpoints(for: .platform).api }

    // MARK: Routes

    func route(_ path: String, shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxRoute {
        let endpoint = classify(path, shape)
        return SandboxRoute(journal: journal, endpoint: endpoint) { [self] call in
            switch endpoint {
            case .discovery: discovery(shape)
            case .apiDiscovery: apiDiscovery(shape)
            case .jwks: keySet()
            case .authorization: authorize(call, shape)
            case .loginPage: login(call)
            case .token: token(call)
            case .logout: logout(call)
            case .api: customerAccountAPI(call)
            default: notFound(call, shape)
            }
        }
    }

    private func classify(_ path: String, _ shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxEndpoint {
        let base = basePath(shape)
        switch path {
        case "/.well-known/openid-configuration", base + "/.well-known/openid-configuration": return .discovery
        case "/.well-known/customer-account-api": return .apiDiscovery
        case base + "/.well-known/jwks.json": return .jwks
        case base + "/oauth/authorize": return .authorization
        case base + "/oauth/token": return .token
        case base + "/logout": return .logout
        default:
            if path.hasPrefix(base + "/login/") { return .loginPage }
            return path.hasPrefix(apiBase(shape)) && path.hasSuffix("/graphql") ? .api : .other
        }
    }

    func basePath(_ shape: SandboxShopifyConfiguration.EndpointShape) -> String {
        shape == .platform ? "/authentication/\(shopID)" : "/authentication"
    }

    func apiBase(_ shape: SandboxShopifyConfiguration.EndpointShape) -> String {
        shape == .platform ? "/\(shopID)/account/customer/api/" : "/customer/api/"
    }

    private func notFound(
        _ call: SandboxCall,
        _ shape: SandboxShopifyConfiguration.EndpointShape
    ) -> SandboxAnswer {
        // A fixed URL with the wrong shop id is redirected.
        if shape == .platform, call.request.path.hasPrefix("/authentication/") {
            return .redirect(to: platformOrigin + "/", status: 301)
        }
        return .html(
            NoticePages.error(brand: "Shopify", "There is no such page.", hint: "Check the path."),
            status: 404
        )
    }

    // MARK: What the Storefront asks

    /// The buyer for whom a cart takes a token: a Customer Account access token, or what was exchanged for one and dies with it.
    func buyer(forCartToken token: String, takesAccountTokens: Bool) -> KnownBuyer? {
        let origin = state.withLock { $0.exchangedTokens[token] }
        if let origin { return buyer(forAccessToken: origin) }
        return takesAccountTokens ? buyer(forAccessToken: token) : nil
    }

    /// A Storefront token in exchange for an access token.
    func exchange(_ accessToken: String) -> String {
        let token = RandomText.hexadecimal(32)
        state.withLock { $0.exchangedTokens[token] = accessToken }
        return token
    }

    /// The buyer behind a living access token that may be put on a cart.
    func buyer(forAccessToken token: String) -> KnownBuyer? {
        let now = clock.now
        let number = state.withLock { $0.ledger.grant(ofAccessToken: token, at: now)?.grant.buyer }
        return number.flatMap { directory.buyer(number: $0) }
    }
}
