public import IdentityHTTP
public import IdentityKit

/// The configuration of ``SFCCProvider``: logins at Bolt whose code a Salesforce Commerce Cloud (SFCC) storefront exchanges.
///
/// ```swift
/// var configuration = SFCCConfiguration(name: "bolt-sfcc", host: "shop.example", siteID: "Shop")
/// configuration.publishableKey = publishableKey
/// ```
///
/// Bolt's documentation names only the two controllers. Parameters, bodies and the place of the token are assumptions, which can
/// be changed here.
public struct SFCCConfiguration: Sendable {
    /// The provider's name, which the app passes to `SessionManager` to choose it.
    public var name: String
    /// The storefront's host, with `:port` if needed.
    public var host: String
    /// The site, as in `Sites-{site}-Site`.
    public var siteID: String
    /// The locale in the controllers' path.
    public var locale = "default"
    /// The path before the controllers, instead of `/on/demandware.store/Sites-{site}-Site/{locale}`.
    public var controllerBasePath: String?
    /// The controller that receives the code.
    public var codeExchangeAction = "Login-OAuthMobileBolt"
    /// The controller that returns the token.
    public var tokenExchangeAction = "Login-ExchangeSFCCToken"
    /// The query item for the code.
    public var codeParam = "code"
    /// The query item for the state.
    public var stateParam = "state"
    /// Further query items of the code exchange.
    public var extraQuery: [(name: String, value: String)] = []
    /// Form fields of the token exchange; empty by default.
    public var extraForm: [(name: String, value: String)] = []
    /// Whether the form of the token exchange contains code and state too.
    public var repeatsCode = false
    /// The form field of the token exchange that contains the token from the response to the code exchange; nil sends none.
    public var continuationField: String?
    /// Where a controller's JSON response may contain a token if it has no `Authorization` header: member names, joined by dots.
    public var tokenJSONPaths = SFCCConfiguration.defaultTokenJSONPaths
    /// The Bolt environment of the login page.
    public var environment: BoltEnvironment = .production
    /// Bolt's publishable key; without it the authorization URL has no `client_id`.
    public var publishableKey: String?
    /// The redirect URI; by default none is sent, because Bolt uses the registered callback.
    public var redirectURI: String?
    /// The scopes to request from Bolt.
    public var scopes = ["openid", BoltScope.manage]
    /// The length of `state` in characters, 8 to 86; by default 43.
    public var stateLength: Int?
    /// Must be false: the SFCC backend exchanges the code, without PKCE.
    public var usePkce = false
    /// URLs that replace those built from host and environment.
    public var endpoints = Endpoints()
    /// The accepted issuers of a verified token; required with ``Endpoints-swift.struct/jwks``.
    ///
    /// Tokens with the same `sub` belong to the same buyer, whichever of these issuers they name.
    public var issuers: [String]?
    /// The audiences of which a verified token must have at least one (`aud`); nil does not check the audience.
    ///
    /// A key set often signs for several clients and sites. Without this list, a token of another client or site is accepted.
    public var audiences: [String]?
    /// How long one request may take, by default 8 seconds; it must not be longer than the time for which the store guarantees a session's
    /// lock.
    public var timeout = ProviderDescriptor.defaultTimeout
    /// Permits plain http to loopback addresses such as 127.0.0.1 and [::1], for tests on one machine.
    ///
    /// A loopback ``host`` is then reached by http.
    public var allowsLoopbackHTTP = false
    /// The default options of every login; `max_age` and `acr_values` are refused, because the storefront's token proves neither.
    public var loginDefaults = LoginDefaults()
    /// The provider's name on the app's login button.
    public var displayName = "Bolt"
    /// The app's shop or tenant for which this provider is configured; stored with every session.
    public var tenant = ""

    /// The member names that OAuth and known controllers use for a token, at the top level and below `data` and `result`.
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

    /// URLs that replace those built from host and environment.
    public struct Endpoints: Sendable {
        /// Bolt's authorization endpoint, by default `/v1/oauth/internal/authorize` of the environment.
        public var authorization: HTTPURL?
        /// The controller that receives the code.
        public var codeExchange: HTTPURL?
        /// The controller that returns the token.
        public var tokenExchange: HTTPURL?
        /// The URL of the key set that verifies the storefront's tokens; it requires ``SFCCConfiguration/issuers``.
        ///
        /// Without a key set a token's claims prove nothing.
        public var jwks: HTTPURL?
        /// The base URL of Bolt's API, instead of the environment's.
        public var api: HTTPURL?

        /// Creates a value that replaces no endpoint.
        public init() {}
    }
}
