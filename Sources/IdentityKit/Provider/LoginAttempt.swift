public import FoundationEssentials
public import IdentityHTTP

/// A login's first half: where to send the buyer, and what to remember until the callback.
public struct AuthorizationRequest: Sendable {
    /// The page to show the buyer.
    public var url: HTTPURL
    /// What the callback will be checked against.
    public var attempt: LoginAttempt

    /// Creates a request.
    public init(url: HTTPURL, attempt: LoginAttempt) {
        self.url = url
        self.attempt = attempt
    }
}

/// What must be remembered between redirect and callback; good for one use.
public struct LoginAttempt: Sendable {
    /// The provider's name.
    public var provider: String
    /// The `state` that the callback must bring (RFC 6749 section 4.1.1).
    public var state: Secret
    /// The `nonce` that the ID token must hold (OpenID Connect Core section 3.1.2.1); nil when none was sent.
    public var nonce: Secret?
    /// The PKCE verifier (RFC 7636 section 4.1); nil when no challenge was sent.
    public var codeVerifier: Secret?
    /// The issuer that discovery named, which the callback's `iss` must be (RFC 9207); nil when none is known.
    public var issuer: String?
    /// The redirect URI that was sent, which the token request must repeat.
    public var redirectURI: String?
    /// The scopes that were asked for.
    public var scopes: [String]
    /// The `max_age` that was asked for, in seconds.
    public var maximumAgeSeconds: Int?
    /// The `acr_values` that were asked for.
    public var authenticationContexts: [String]
    /// How the answer must come back; a code that comes in another way is refused.
    public var responseMode: ResponseMode
    /// The key to which the tokens are to be bound (RFC 9449), a private JWK; nil when they are bound to none.
    public var dpopKey: Secret?
    /// The app's path to return to.
    public var returnPath: String?
    /// When the login began.
    public var createdAt: Date
    /// When the attempt stops being good.
    public var expiresAt: Date
    /// The tenant of the provider; the store binds it to the record.
    package var tenant = ""
    /// The hash of the binding cookie, by which the browser of the callback is compared with that of the login.
    package var browserBindingHash: [UInt8] = []

    /// Creates an attempt.
    public init(
        provider: String,
        state: Secret,
        nonce: Secret? = nil,
        codeVerifier: Secret? = nil,
        issuer: String? = nil,
        redirectURI: String? = nil,
        scopes: [String] = [],
        maximumAgeSeconds: Int? = nil,
        authenticationContexts: [String] = [],
        responseMode: ResponseMode = .query,
        dpopKey: Secret? = nil,
        returnPath: String? = nil,
        createdAt: Date,
        expiresAt: Date
    ) {
        self.provider = provider
        self.state = state
        self.nonce = nonce
        self.codeVerifier = codeVerifier
        self.issuer = issuer
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.maximumAgeSeconds = maximumAgeSeconds
        self.authenticationContexts = authenticationContexts
        self.responseMode = responseMode
        self.dpopKey = dpopKey
        self.returnPath = returnPath
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
