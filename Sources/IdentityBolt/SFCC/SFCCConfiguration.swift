public import IdentityHTTP
public import IdentityKit

/// How Bolt behind Salesforce Commerce Cloud is set up.
///
/// Bolt's page names the two controllers and nothing else: parameters, bodies and the place of the token are assumptions, and
/// every one of them can be changed here.
public struct SFCCConfiguration: Sendable {
    /// The name under which the app chooses it.
    public var name: String
    /// The storefront's host, with `:port` where it has one.
    public var host: String
    /// The site, as in `Sites-{site}-Site`.
    public var siteID: String
    /// The locale in the controllers' path.
    public var locale = "default"
    /// The path in front of the controllers, instead of `/on/demandware.store/Sites-{site}-Site/{locale}`.
    public var controllerBasePath: String?
    /// The controller that takes the code.
    public var codeExchangeAction = "Login-OAuthMobileBolt"
    /// The controller that gives the token.
    public var tokenExchangeAction = "Login-ExchangeSFCCToken"
    /// The query item that carries the code.
    public var codeParam = "code"
    /// The query item that carries the state.
    public var stateParam = "state"
    /// Further query items of the code exchange.
    public var extraQuery: [(name: String, value: String)] = []
    /// Form fields of the token exchange; empty by default.
    public var extraForm: [(name: String, value: String)] = []
    /// Whether code and state stand in the form of the token exchange, too.
    public var repeatsCode = false
    /// The form field in which a token of the first answer goes to the second controller; nil sends none.
    public var continuationField: String?
    /// Where in the second answer the token may stand, behind the `Authorization` header: members joined by dots.
    public var tokenJSONPaths = SFCCConfiguration.defaultTokenJSONPaths
    /// Where Bolt's login page is.
    public var environment: BoltEnvironment = .production
    /// Bolt's publishable key; without it the authorization URL has no `client_id`.
    public var publishableKey: String?
    /// The redirect URI; by default none is sent, as Bolt has the callback registered.
    public var redirectURI: String?
    /// The scopes to ask Bolt for.
    public var scopes = ["openid", BoltScope.manage]
    /// The length of `state` in characters, 8 to 86; by default 43.
    public var stateLength: Int?
    /// PKCE has no place here, the exchange is made by the SFCC backend: true is refused.
    public var usePkce = false
    /// Addresses that replace those built from host and environment.
    public var endpoints = Endpoints()
    /// The issuers that a verified token may name; required where ``Endpoints-swift.struct/jwks`` is set.
    public var issuers: [String]?
    /// The audiences of which a verified token must name at least one (`aud`); nil does not check the audience.
    ///
    /// A key set often signs for several clients and sites. Without this list a token that was issued to another of them passes.
    public var audiences: [String]?
    /// How long one request may take, by default 8 seconds; a store whose locks end may require less.
    public var timeout: Duration = .seconds(8)
    /// Permits plain http to 127.0.0.1 and [::1]; a loopback ``host`` is then taken to be meant so.
    public var allowsLoopbackHTTP = false
    /// What every login asks for at Bolt's page; no token here could prove `max_age` or `acr_values`, so both are refused.
    public var loginDefaults = LoginDefaults()
    /// The tenant of the app that this client serves.
    public var tenant = ""

    /// The members of OAuth and of controllers seen elsewhere, at the top and below `data` and `result`.
    public static let defaultTokenJSONPaths: [String] = {
        let names = ["access_token", "accessToken", "token", "jwt", "bearerToken", "authToken"]
        return names + names.map { "data.\($0)" } + names.map { "result.\($0)" }
    }()

    /// A configuration with what must be there.
    public init(name: String, host: String, siteID: String) {
        self.name = name
        self.host = host
        self.siteID = siteID
    }

    /// Addresses that replace those built from host and environment.
    public struct Endpoints: Sendable {
        /// Bolt's authorization endpoint, by default `/v1/oauth/internal/authorize` of the environment.
        public var authorization: HTTPURL?
        /// The controller that takes the code.
        public var codeExchange: HTTPURL?
        /// The controller that gives the token.
        public var tokenExchange: HTTPURL?
        /// The keys by which tokens are signed; they need ``SFCCConfiguration/issuers``.
        ///
        /// Without keys a token's claims are hints that prove nothing.
        public var jwks: HTTPURL?
        /// The base of Bolt's API, instead of the environment's.
        public var api: HTTPURL?

        /// No replacement.
        public init() {}
    }
}
