public import IdentityHTTP
public import IdentityKit

extension BoltProvider {
    /// How a client at Bolt is set up.
    public struct Configuration: Sendable {
        /// The name under which the app chooses it.
        public var name: String
        /// Where Bolt is.
        public var environment: BoltEnvironment
        /// The publishable key, which is the client id; blanks around it do no harm.
        public var publishableKey: String
        /// How the client proves itself.
        public var authentication: BoltClientAuthentication
        /// Which part of the publishable key is the client id.
        public var clientIDForm: BoltClientIDForm = .full
        /// The redirect URI.
        ///
        /// Bolt has the callback registered and no published client sends one, so by default none is sent.
        public var redirectURI: String?
        /// Whether a `nonce` is sent; no published client sends one.
        public var sendsNonce = false
        /// The scopes to ask for; must hold `openid`.
        public var scopes = ["openid", BoltScope.manage]
        /// What stands between the scopes of a token request.
        public var scopeSeparator: BoltScopeSeparator = .space
        /// The length of `state` in characters, 8 to 86; by default 43, which holds 256 random bits.
        public var stateLength: Int?
        /// Endpoints that replace the environment's.
        public var endpoints = Endpoints()
        /// Issuers to accept instead of the environment's.
        public var issuers: [String]?
        /// How long one request may take, by default 8 seconds; a store whose locks end may require less.
        public var timeout: Duration = .seconds(8)
        /// Permits plain http to 127.0.0.1 and [::1], for tests on one machine.
        public var allowsLoopbackHTTP = false
        /// What every login asks for, for example further parameters that Bolt names to a merchant.
        public var loginDefaults = LoginDefaults()
        /// The tenant of the app that this client serves.
        public var tenant = ""

        /// A configuration with what must be there.
        public init(
            name: String,
            environment: BoltEnvironment,
            publishableKey: String,
            authentication: BoltClientAuthentication
        ) {
            self.name = name
            self.environment = environment
            self.publishableKey = publishableKey
            self.authentication = authentication
        }
    }

    /// Endpoints that replace the environment's.
    public struct Endpoints: Sendable {
        /// A metadata document to take the endpoints from, instead of building them from the API's base.
        public var discovery: HTTPURL?
        /// The authorization endpoint, by default `/v1/oauth/authorize`.
        public var authorization: HTTPURL?
        /// The token endpoint, by default `/v1/oauth/token`.
        public var token: HTTPURL?
        /// The key set, by default `/v1/oauth/jwks.json`.
        public var jwks: HTTPURL?
        /// The API's base; what is not given here is built from it, and it counts as an issuer.
        public var api: HTTPURL?

        /// No replacement.
        public init() {}
    }
}
