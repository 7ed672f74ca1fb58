public import IdentityHTTP
public import IdentityKit

/// The configuration of ``SFCCProvider``: logins at Bolt whose code a Salesforce Commerce Cloud (SFCC) storefront exchanges.
///
/// ```swift
/// var configuration = SFCCConfiguration(name: "bolt-sfcc", host: "shop.example", siteID: "Shop")
/// configuration.publishableKey = publishableKey
/// ```
///
/// Bolt's documentation names only the two controllers. The defaults for parameters, bodies and the place of the token are assumptions.
public struct SFCCConfiguration: Sendable {
    /// The name under which the app chooses this provider.
    public var name: String
    /// The storefront's host, with `:port` if needed.
    public var host: String
    /// The id of the storefront's site, as in `Sites-{siteID}-Site`.
    public var siteID: String
    /// The locale in the controllers' path.
    public var locale = "default"
    /// The path before the controllers' names, instead of `/on/demandware.store/Sites-{siteID}-Site/{locale}`.
    public var controllerBasePath: String?
    /// The name of the controller that receives the authorization code.
    public var codeExchangeAction = "Login-OAuthMobileBolt"
    /// The name of the controller that returns the buyer's token.
    public var tokenExchangeAction = "Login-ExchangeSFCCToken"
    /// The name of the query item that contains the authorization code.
    public var codeParam = "code"
    /// The name of the query item that contains the state.
    public var stateParam = "state"
    /// Further query items of the code exchange; errors show "…" instead of a value of at least 6 bytes.
    public var extraQuery: [(name: String, value: Secret)] = []
    /// Further form fields of the token exchange and of a refresh; errors show "…" instead of a value of at least 6 bytes.
    public var extraForm: [(name: String, value: Secret)] = []
    /// Whether the form of the token exchange repeats the code and the state from the code exchange.
    public var repeatsCode = false
    /// The form field of the token exchange that contains the token from the response to the code exchange; nil sends no such field.
    public var continuationField: String?
    /// The places where a controller's JSON response may contain the token: member names, joined by dots.
    ///
    /// The SDK reads these places only if the response has no bearer token in an `Authorization` header.
    public var tokenJSONPaths = SFCCConfiguration.defaultTokenJSONPaths
    /// The Bolt environment of the login page.
    public var environment: BoltEnvironment = .production
    /// Bolt's publishable key, which is sent as `client_id`; with nil, the authorization URL has no `client_id`.
    public var publishableKey: String?
    /// The redirect URI; by default no redirect URI is sent, and Bolt uses the registered redirect URI.
    public var redirectURI: String?
    /// The scopes to request from Bolt.
    public var scopes = ["openid", BoltScope.manage]
    /// The length of `state` in characters, 8 to 86; by default 43.
    public var stateLength: Int?
    /// Whether logins use PKCE; must be false, because the SFCC storefront exchanges the code without a code verifier.
    public var usePkce = false
    /// URLs that replace the default URLs, which the SDK builds from ``host`` and ``environment``; the key set has no default.
    public var endpoints = Endpoints()
    /// The accepted issuers of a verified token; required with ``Endpoints-swift.struct/jwks``.
    ///
    /// These issuers count as one issuer: two tokens with the same `sub` belong to the same buyer, even if their `iss` differ.
    public var issuers: [String]?
    /// The accepted audiences: `aud` of a verified token must contain at least one of these values; with nil, `aud` is not checked.
    ///
    /// The keys of a key set may sign tokens for several clients and sites. Without this list, a token for another client or site is
    /// accepted.
    public var audiences: [String]?
    /// How long one request may take, by default 8 seconds; not longer than the time for which the store guarantees a session's lock.
    public var timeout = ProviderDescriptor.defaultTimeout
    /// Permits plain http to loopback addresses such as 127.0.0.1 and [::1], for tests on one machine.
    ///
    /// If the value is true and ``host`` is a loopback address, the SDK uses http for the storefront.
    public var allowsLoopbackHTTP = false
    /// The default options of every login; must not contain `max_age` or `acr_values`, which the storefront's token does not prove.
    public var loginDefaults = LoginDefaults()
    /// The provider's name on the app's login button.
    public var displayName = "Bolt"
    /// The app's shop or tenant for which this provider is configured; stored with every session.
    public var tenant = ""

    /// The default places of a token: the member names of OAuth and of known controllers, at the top level and below `data` and `result`.
    public static let defaultTokenJSONPaths: [String] = {
        let names = ["access_token", "accessToken", "token", "jwt", "bearerToken", "authToken"]
        return names + names.map { "data.\($0)" } + names.map { "result.\($0)" }
    }()

    /// Creates a configuration from the required members.
    public init(name: String, host: String, siteID: String) {
        self.name = name
        self.host = host
        self.siteID = siteID
    }

    /// URLs that replace the default URLs of the controllers and of Bolt.
    public struct Endpoints: Sendable {
        /// Bolt's authorization endpoint, by default `/v1/oauth/internal/authorize` of the environment.
        public var authorization: HTTPURL?
        /// The URL of the controller that receives the code.
        public var codeExchange: HTTPURL?
        /// The URL of the controller that returns the buyer's token.
        public var tokenExchange: HTTPURL?
        /// The URL of the key set that verifies the storefront's tokens; set ``SFCCConfiguration/issuers`` too.
        ///
        /// By default no token is verified, and buyers count as unverified (``SFCCProvider/isVerified(_:)``).
        public var jwks: HTTPURL?
        /// The base URL of Bolt's API, instead of the environment's base URL.
        public var api: HTTPURL?

        /// Creates a value that replaces no endpoint.
        public init() {}
    }
}
