public import IdentityHTTP
public import IdentityKit

extension BoltProvider {
    /// The configuration of a client at Bolt.
    ///
    /// ```swift
    /// let configuration = BoltProvider.Configuration(
    ///     name: "bolt", environment: .sandbox, publishableKey: publishableKey,
    ///     authentication: .confidential(apiKey: apiKey)
    /// )
    /// ```
    public struct Configuration: Sendable {
        /// The name under which the app chooses this provider.
        public var name: String
        /// The Bolt environment.
        public var environment: BoltEnvironment
        /// The publishable key, which contains the client id (``clientIDForm``); white space around it is ignored.
        public var publishableKey: String
        /// How the client authenticates.
        public var authentication: BoltClientAuthentication
        /// The part of the publishable key that is sent as the client id.
        public var clientIDForm: BoltClientIDForm = .full
        /// The redirect URI; by default no redirect URI is sent, as in published clients, and Bolt uses the registered redirect URI.
        public var redirectURI: String?
        /// Whether a `nonce` is sent; by default no, as in published clients.
        public var sendsNonce = false
        /// The scopes to request; must contain `openid`.
        public var scopes = ["openid", BoltScope.manage]
        /// The separator of the scopes in a token request.
        public var scopeSeparator: BoltScopeSeparator = .space
        /// The length of `state` in characters, 8 to 86; by default 43, which is 258 random bits.
        public var stateLength: Int?
        /// Endpoints that replace the environment's endpoints.
        public var endpoints = Endpoints()
        /// Issuers to accept instead of the environment's issuers.
        ///
        /// These issuers count as one issuer: two tokens with the same `sub` belong to the same buyer, even if their `iss` differ.
        public var issuers: [String]?
        /// How long one request may take, by default 8 seconds; not longer than the time for which the store guarantees a session's lock.
        public var timeout = ProviderDescriptor.defaultTimeout
        /// Permits plain http to loopback addresses such as 127.0.0.1 and [::1], for tests on one machine.
        public var allowsLoopbackHTTP = false
        /// The default options of every login, for example additional parameters that Bolt gives to a merchant.
        public var loginDefaults = LoginDefaults()
        /// The provider's name on the app's login button.
        public var displayName = "Bolt"
        /// The app's shop or tenant for which this provider is configured; stored with every session.
        public var tenant = ""

        /// Creates a configuration from the required members.
        public init(
            name: String,
            environment: BoltEnvironment,
            publishableKey: String,
            authentication: BoltClientAuthentication,
            redirectURI: String? = nil
        ) {
            self.name = name
            self.environment = environment
            self.publishableKey = publishableKey
            self.authentication = authentication
            self.redirectURI = redirectURI
        }
    }

    /// Endpoints that replace the environment's endpoints.
    public struct Endpoints: Sendable {
        /// The URL of a metadata document; the SDK then uses the document's endpoints, and not those below the API's base URL.
        public var discovery: HTTPURL?
        /// The authorization endpoint, by default `/v1/oauth/authorize`.
        public var authorization: HTTPURL?
        /// The token endpoint, by default `/v1/oauth/token`.
        public var token: HTTPURL?
        /// The key set, by default `/v1/oauth/jwks.json`.
        public var jwks: HTTPURL?
        /// The base URL of Bolt's API; if ``Configuration/issuers`` is nil, this URL is also an accepted issuer.
        ///
        /// The SDK builds the URL of the account API from this URL and, if ``discovery`` is nil, also each endpoint that is nil.
        public var api: HTTPURL?

        /// Creates a value that replaces no endpoint.
        public init() {}
    }
}
