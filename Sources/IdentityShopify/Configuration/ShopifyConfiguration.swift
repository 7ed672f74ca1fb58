public import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import ShopifyGraphQL

extension ShopifyProvider {
    /// The configuration of a client of a shop's customer accounts.
    ///
    /// ```swift
    /// var configuration = ShopifyProvider.Configuration(
    ///     name: "shop", shopDomain: "example.myshopify.com", clientID: clientID, client: .publicMobile
    /// )
    /// configuration.shopID = "1234567"
    /// ```
    public struct Configuration: Sendable {
        /// The provider's name; the app passes this name to `SessionManager` to choose the provider.
        public var name: String
        /// The shop's domain, preferably its `myshopify.com` name; by default the SDK fetches the discovery document from this domain.
        ///
        /// The domain may be nil if ``shopID``, a discovery URL, or ``issuers`` with the authorization, token and key set endpoints is
        /// configured.
        public var shopDomain: String?
        /// The client id of the Customer Account API client.
        public var clientID: String
        /// The type of the client, as registered at Shopify.
        public var client: Client
        /// The redirect URI, exactly as registered.
        ///
        /// Only a mobile client has a default: `shop.{shop id}.app://callback`.
        public var redirectURI: String?
        /// The URL to which Shopify redirects the browser after a logout, exactly as registered.
        ///
        /// With nil, the default, Shopify chooses one of the client's registered logout URIs.
        public var postLogoutRedirectURI: String?
        /// The shop id, in digits.
        ///
        /// With a shop id, and if ``issuers`` is nil, the SDK accepts only this shop's issuer. If the SDK accepts this shop's issuer and
        /// the discovery URL returns 404, the SDK uses Shopify's fixed endpoints.
        public var shopID: String?
        /// The scopes to request; must contain `openid`.
        public var scopes: [String] = ["openid", "email", "customer-account-api:full"]
        /// The version of the Customer Account API, `YYYY-MM` or `unstable`; ``AuthClient`` also uses this version for the Storefront API.
        public var apiVersion = "2026-10"
        /// Issuers to accept instead of Shopify's own, for tests and sandboxes.
        ///
        /// The SDK treats these issuers as one issuer: two tokens with the same `sub` belong to the same buyer, even if their `iss` differ.
        public var issuers: [String]?
        /// Endpoints that replace discovered endpoints.
        public var endpoints = Endpoints()
        /// The hosts that discovered endpoints may have, instead of the default list.
        ///
        /// The default list contains `shopify.com`, ``shopDomain`` and its subdomains, and the hosts of ``endpoints``. The SDK follows
        /// redirects of the discovery URL only to these hosts and to the host of this URL. If the shop's account domain is not a subdomain
        /// of ``shopDomain``, set a list, for example `["shopify.com", "account.brand.example"]`. An entry is a host name and does not
        /// include its subdomains.
        public var endpointHosts: [String]?
        /// The time limit of one request, by default 8 seconds.
        ///
        /// The limit must not be longer than the time for which the store guarantees a session's lock.
        public var timeout = ProviderDescriptor.defaultTimeout
        /// Permits plain http to loopback addresses such as 127.0.0.1 and [::1], for tests on one machine.
        public var allowsLoopbackHTTP = false
        /// The default options of every login, for example `prompt`; the options that the app passes for one login replace them.
        public var loginDefaults = LoginDefaults()
        /// The provider's name on the app's login button.
        public var displayName = "Shopify"
        /// The app's shop or tenant for which this provider is configured; stored with every session.
        public var tenant = ""

        /// The checked ``shopDomain``; nil if it is missing or invalid.
        var domain: ShopDomain? {
            shopDomain.flatMap { ShopDomain($0, allowsLoopbackHTTP: allowsLoopbackHTTP) }
        }

        /// ``issuers``; if it is nil, the issuer of ``shopID``; if both are nil, the issuers of all shops.
        var acceptedIssuers: IssuerPolicy {
            if let issuers { return .exactly(issuers) }
            if let shopID { return .exactly([ShopifyIssuer.issuer(shopID: shopID)]) }
            return IssuerPolicy(summary: ShopifyIssuer.issuer(shopID: "{shop id}")) {
                ShopifyIssuer.shopID(in: $0) != nil
            }
        }

        /// Whether ``shopID`` is configured and ``issuers`` does not exclude Shopify's issuer of this shop.
        var acceptsOwnIssuer: Bool {
            shopID.map { acceptedIssuers.isAccepted(ShopifyIssuer.issuer(shopID: $0)) } ?? false
        }

        /// Creates a configuration from the required members; only a mobile client may omit the redirect URI.
        public init(
            name: String,
            shopDomain: String?,
            clientID: String,
            client: Client,
            redirectURI: String? = nil
        ) {
            self.name = name
            self.shopDomain = shopDomain
            self.clientID = clientID
            self.client = client
            self.redirectURI = redirectURI
        }
    }

    /// The client types of Shopify.
    public enum Client: Sendable {
        /// Public, in a native app: its redirect URI has the scheme `shop.{shop id}.…`.
        case publicMobile
        /// Public, on the web: the SDK sends `origin` in the `Origin` header of discovery, token, logout and Customer Account API requests.
        ///
        /// Register the origin at Shopify as a JavaScript origin.
        case publicWeb(origin: String)
        /// Confidential, with a secret; best for a server.
        case confidential(Secret)
        /// The client of a Shopify app (`[customer_authentication]` in `shopify.app.toml`); Shopify gives it no refresh tokens.
        case app

        /// The additional headers of discovery, token and logout requests.
        var headers: [(name: String, value: String)] {
            guard case .publicWeb(let origin) = self else { return [] }
            return [("Origin", origin)]
        }

        var description: String {
            switch self {
            case .publicMobile: "public mobile, PKCE"
            case .publicWeb: "public web, PKCE, Origin"
            case .confidential: "confidential, client_secret_basic, PKCE"
            case .app: "app, PKCE, no refresh"
            }
        }
    }

    /// Endpoints that replace discovered endpoints.
    ///
    /// If the authorization, token and key set endpoints are set and ``discovery`` is nil, the SDK fetches no discovery document. In this
    /// case set ``ShopifyProvider/Configuration/shopID`` or ``ShopifyProvider/Configuration/issuers`` too.
    public struct Endpoints: Sendable {
        /// The URL of the OpenID configuration, instead of the URL at the shop's domain or below the shop's issuer.
        public var discovery: HTTPURL?
        /// The authorization endpoint.
        public var authorization: HTTPURL?
        /// The token endpoint.
        public var token: HTTPURL?
        /// The key set.
        public var jwks: HTTPURL?
        /// The end-session endpoint.
        public var logout: HTTPURL?
        /// The Customer Account API's GraphQL URL with its version, used unchanged.
        public var api: HTTPURL?

        /// Creates a value that replaces no endpoint.
        public init() {}

        /// Whether the endpoints that a login and a refresh need are set.
        var isComplete: Bool { authorization != nil && token != nil && jwks != nil }

        var all: [HTTPURL?] { [discovery, authorization, token, jwks, logout, api] }
    }
}
