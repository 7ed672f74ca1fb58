public import IdentityHTTP
public import IdentityKit

extension ShopifyProvider {
    /// How a client of a shop's customer accounts is set up.
    public struct Configuration: Sendable {
        /// The name under which the app chooses it.
        public var name: String
        /// A domain that Shopify itself serves, at best the shop's `myshopify.com` name; discovery starts there.
        ///
        /// It may be missing where ``shopID``, the discovery address or all endpoints are configured.
        public var shopDomain: String?
        /// The client id of the Customer Account API client.
        public var clientID: String
        /// The client's type, as chosen when it was registered.
        public var client: Client
        /// The redirect URI, exactly as registered.
        ///
        /// Only a mobile client has a default: `shop.{shop id}.app://callback`.
        public var redirectURI: String?
        /// The number of the shop, in digits.
        ///
        /// If set, no other shop's issuer is accepted, and Shopify's fixed addresses are used where discovery says 404.
        public var shopID: String?
        /// The scopes to ask for; must hold `openid`.
        public var scopes: [String] = ["openid", "email", "customer-account-api:full"]
        /// The version of the Customer Account API, `YYYY-MM`.
        public var apiVersion = "2026-10"
        /// Issuers to accept instead of Shopify's own, for shops that are not Shopify's: tests and sandboxes.
        public var issuers: [String]?
        /// Endpoints that replace discovered ones.
        public var endpoints = Endpoints()
        /// The hosts that discovered endpoints may have, instead of the default list.
        ///
        /// By default: `shopify.com`, ``shopDomain`` and its subdomains, and the hosts of ``endpoints``. A redirect of the discovery
        /// address leads to these hosts only. A shop whose account domain is no subdomain of ``shopDomain`` needs a list of its own,
        /// for example `["shopify.com", "account.brand.example"]`. Host names only; a name does not include its subdomains.
        public var endpointHosts: [String]?
        /// How long one request may take, by default 8 seconds; a store whose locks end may require less.
        public var timeout: Duration = .seconds(8)
        /// Permits plain http to 127.0.0.1 and [::1], for tests on one machine.
        public var allowsLoopbackHTTP = false
        /// What every login asks for where its own options say nothing, for example `prompt`.
        public var loginDefaults = LoginDefaults()
        /// The tenant of the app that this client serves.
        public var tenant = ""

        /// A configuration with what must be there; the redirect URI may be missing for a mobile client only.
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

    /// The types of client that Shopify knows.
    public enum Client: Sendable {
        /// Public, in a native app: its redirect URI has the scheme `shop.{shop id}.…`.
        case publicMobile
        /// Public, on the web: every call carries an `Origin` header that is registered as a JavaScript origin.
        case publicWeb(origin: String)
        /// With a secret, which suits a server best.
        case confidential(Secret)
        /// An app's client from `shopify.app.toml`, to which Shopify gives no refresh tokens.
        case app

        /// The type in words for people.
        var words: String {
            switch self {
            case .publicMobile: "public mobile, PKCE"
            case .publicWeb: "public web, PKCE, Origin"
            case .confidential: "confidential, client_secret_basic, PKCE"
            case .app: "app, PKCE, no refresh"
            }
        }
    }

    /// Endpoints that replace discovered ones.
    ///
    /// With authorization, token and key set configured, and no discovery address, no discovery takes place.
    public struct Endpoints: Sendable {
        /// The OpenID configuration instead of the shop domain's.
        public var discovery: HTTPURL?
        /// The authorization endpoint.
        public var authorization: HTTPURL?
        /// The token endpoint.
        public var token: HTTPURL?
        /// The key set.
        public var jwks: HTTPURL?
        /// The end-session endpoint.
        public var logout: HTTPURL?
        /// The Customer Account API's GraphQL address with its version, used as given.
        public var api: HTTPURL?

        /// No replacement.
        public init() {}

        /// Whether a login needs no other endpoint.
        var isWhole: Bool { authorization != nil && token != nil && jwks != nil }

        var all: [HTTPURL?] { [discovery, authorization, token, jwks, logout, api] }
    }
}

/// What is wrong with a configuration, by the name of its member.
struct ConfigurationProblem: Error {
    let member: String
    let problem: String
    let hint: String

    var error: IdentityError {
        IdentityError(
            .configuration,
            .configurationInvalid,
            "The Shopify configuration's \(member) \(problem).",
            hint: hint
        )
    }
}
