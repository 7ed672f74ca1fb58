public import FoundationEssentials

/// The data of a login that are stored from the redirect to the provider until the callback, and are used once.
public struct LoginAttempt: Sendable {
    /// The provider's name.
    public var provider: String
    /// The `state` that the callback must carry (RFC 6749 section 4.1.1).
    public var state: Secret
    /// The `nonce` that the ID token must contain (OpenID Connect Core section 3.1.2.1); nil when none was sent.
    public var nonce: Secret?
    /// The PKCE verifier (RFC 7636 section 4.1); nil when no challenge was sent.
    public var codeVerifier: Secret?
    /// The issuer from discovery, which the callback's `iss` must equal (RFC 9207); nil if the provider's issuer is not known.
    public var issuer: String?
    /// The redirect URI of the authorization request, which the token request repeats.
    public var redirectURI: String?
    /// The requested scopes.
    public var scopes: [String]
    /// The requested `max_age`, in seconds; nil when none was sent.
    public var maximumAgeSeconds: Int?
    /// The requested `acr_values`.
    public var authenticationContexts: [String]
    /// The requested response mode; if it is ``ResponseMode/formPost``, a code that arrives in a URL is refused.
    public var responseMode: ResponseMode
    /// The DPoP key for the tokens (RFC 9449), a private JWK; nil without DPoP.
    public var dpopKey: Secret?
    /// The app's page for the buyer after the login; nil if the app requested none.
    public var returnPath: String?
    /// When the login began.
    public var createdAt: Date
    /// When the login attempt expires.
    public var expiresAt: Date
    package var tenant = ""
    /// The hash of the binding cookie, which shows whether the callback came from the browser that began the login.
    package var browserBindingHash: [UInt8] = []
    /// The parameters of the callback that the browser has posted; nil if no posted callback is stored.
    var postedCallback: [(name: String, value: Secret)]?
    /// The session that a step-up replaces, and what the step-up requires of the login; nil for an ordinary login.
    var stepUp: PendingStepUp?
    /// The buyer of the session that a step-up replaces; set before the code is exchanged, and never stored.
    package var steppedUpBuyer: Buyer?
}

extension LoginAttempt {
    /// Creates a login attempt.
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
        // If an initializer sets the members one after the other, Swift copies a struct of this size once more.
        self.init(
            provider: provider,
            state: state,
            nonce: nonce,
            codeVerifier: codeVerifier,
            issuer: issuer,
            redirectURI: redirectURI,
            scopes: scopes,
            maximumAgeSeconds: maximumAgeSeconds,
            authenticationContexts: authenticationContexts,
            responseMode: responseMode,
            dpopKey: dpopKey,
            returnPath: returnPath,
            createdAt: createdAt,
            expiresAt: expiresAt,
            tenant: "",
            browserBindingHash: []
        )
    }
}
