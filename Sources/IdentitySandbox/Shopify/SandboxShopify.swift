internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// The sandbox's Shopify Customer Accounts: discovery, authorization, tokens, keys and logout.
///
/// The Customer Account API needs a shop, which the product `StorefrontSandbox` adds.
///
/// The endpoints exist in two forms, which share their state: the platform's at ``platformOrigin``, and the account domain's at
/// ``accountOrigin``. Both origins serve discovery documents with their own endpoints. The shop's own domain (``Sandbox/shopOrigin``)
/// serves discovery documents with the endpoints of ``SandboxShopifyConfiguration/endpointShape``.
public final class SandboxShopify: SandboxAuthorizationServer {
    /// The record of requests, and the planned faults.
    public let journal = SandboxJournal()
    /// The issued tokens, the signed-in browsers and the signing keys.
    public let tokens: SandboxTokens
    /// The origin that stands for `https://shopify.com`.
    public let platformOrigin: String
    /// The origin that stands for the shop's account domain.
    public let accountOrigin: String
    /// The number of the shop.
    public let shopID: Int
    /// The `iss` of ID tokens, and the `issuer` in the discovery documents of both forms of endpoints.
    public let issuer: String

    let configuration: SandboxShopifyConfiguration
    private let registeredClients: Mutex<[SandboxShopifyClient]>

    init(_ configuration: SandboxConfiguration, directory: BuyerDirectory, platform: String, account: String) {
        self.configuration = configuration.shopify
        platformOrigin = platform
        accountOrigin = account
        shopID = configuration.shopify.shopID
        issuer = configuration.shopify.issuer ?? "\(platform)/authentication/\(configuration.shopify.shopID)"
        tokens = SandboxTokens(configuration, directory, brand: "Shopify", keyIDPrefix: "id_")
        registeredClients = Mutex(configuration.shopify.clients)
    }

    /// The registered clients.
    public var clients: [SandboxShopifyClient] { registeredClients.withLock(\.self) }

    /// Registers a client, or replaces the client with the same id.
    public func register(_ client: SandboxShopifyClient) {
        registeredClients.withLock { clients in
            clients.removeAll { $0.id == client.id }
            clients.append(client)
        }
    }

    /// Adds a redirect URI to ``SandboxShopifyClient/redirectURIs`` of every client.
    public func register(redirectURI: String) { changeClients { $0.redirectURIs.append(redirectURI) } }

    /// Adds a post-logout redirect URI to ``SandboxShopifyClient/logoutURIs`` of every client.
    public func register(logoutURI: String) { changeClients { $0.logoutURIs.append(logoutURI) } }

    private func changeClients(_ change: (inout SandboxShopifyClient) -> Void) {
        registeredClients.withLock { clients in for index in clients.indices { change(&clients[index]) } }
    }

    /// Ends the sessions of a buyer: signs the buyer's browsers out, and revokes the buyer's codes and tokens.
    public func endSessions(ofBuyer email: String) { tokens.endSessions(ofBuyer: email) }

    /// The Customer Account API's URL in the platform's discovery document.
    public var customerAccountEndpoint: String { endpoints(for: .platform).api }

    func route(
        _ path: String,
        shape: SandboxShopifyConfiguration.EndpointShape,
        shop: (any ShopRouting)?
    ) -> SandboxRoute {
        let endpoint = classify(path, shape)
        return SandboxRoute(journal: journal, endpoint: endpoint) { [self] call in
            switch endpoint {
            case .discovery: discovery(shape)
            case .apiDiscovery: apiDiscovery(shape)
            case .resourceDiscovery: resourceDiscovery(shape)
            case .jwks: keySet()
            case .authorization: authorize(call, shape)
            case .loginPage: login(call)
            case .token: token(call)
            case .logout: logout(call)
            case .api: shop?.customerAccountAPI(call) ?? notFound(call, shape)
            default: notFound(call, shape)
            }
        }
    }

    private func classify(_ path: String, _ shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxEndpoint {
        let base = basePath(shape)
        switch path {
        case "/.well-known/openid-configuration", base + "/.well-known/openid-configuration": return .discovery
        case "/.well-known/customer-account-api": return .apiDiscovery
        case "/.well-known/oauth-authorization-server": return .discovery
        case "/.well-known/oauth-protected-resource": return .resourceDiscovery
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
    ) -> SandboxResponse {
        // Shopify redirects endpoint URLs with an unknown shop id to its home page. The sandbox redirects every unknown path below
        // /authentication/.
        if shape == .platform, call.request.path.hasPrefix("/authentication/") {
            return .redirect(to: platformOrigin + "/", status: 301)
        }
        let hint = "Use the URLs in the metadata."
        return NoticePages.error(brand: "Shopify", "The page does not exist.", hint: hint, status: 404)
    }

    /// Returns the buyer of an access token; nil if the token is invalid or has no scope of the Customer Account API.
    package func buyer(forAccessToken token: String) -> KnownBuyer? {
        guard let grant = grant(ofAccessToken: token)?.grant, hasAPIScope(grant) else { return nil }
        return directory.buyer(number: grant.buyer)
    }

    /// Returns the error response if a valid access token has no scope of the Customer Account API, or if a public web client sends no
    /// registered `Origin`; nil if the request is permitted, or if the token is invalid.
    package func refusal(ofAPICall request: SandboxRequest, accessToken token: String) -> SandboxResponse? {
        guard let grant = grant(ofAccessToken: token)?.grant else { return nil }
        if let client = clients.first(where: { $0.id == grant.clientID }), !client.permitsOrigin(of: request) {
            return .originMissing
        }
        return hasAPIScope(grant) ? nil : .json(["errors": .string("User does not have access")])
    }

    private func hasAPIScope(_ grant: Grant) -> Bool {
        grant.scopes.contains { $0 == "customer-account-api:full" || $0.hasPrefix("https://api.customers.com/") }
    }
}
