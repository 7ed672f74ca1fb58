public import IdentityKit

/// How the sandbox's plain OpenID provider is set up.
public struct SandboxOpenIDConfiguration: Sendable {
    /// The signature algorithms of ID tokens that it can use.
    public enum Algorithm: Sendable, Equatable {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256
        /// ECDSA on P-256 with SHA-256.
        case es256
    }

    /// The client id.
    public var clientID = "sandbox-openid-client"
    /// The client secret; nil for a public client, which must use PKCE.
    public var clientSecret: String? = "sandbox-openid+secret/with=signs&more"
    /// The one method by which the client authenticates at token endpoint and its like.
    ///
    /// Nil, the default, follows ``clientSecret``: either method with the secret, or ``ClientAuthentication/none`` without one.
    public var clientAuthentication: ClientAuthentication?
    /// The client's registered public keys as JWKs, for ``ClientAuthentication/privateKeyJWT``.
    public var clientKeys: [JSONObject] = []
    /// The algorithms with which a client may sign what it sends: assertions and DPoP proofs.
    public var clientSigningAlgorithms = ["ES256", "ES384", "ES512", "EdDSA", "PS256", "PS384", "PS512", "RS256"]
    /// Sender-constrained tokens (RFC 9449); off unless set.
    ///
    /// Where they are ``Feature/accepted`` a request with a proof gets bound tokens and one without gets bearer tokens.
    public var dpop = Feature.off
    /// Whether DPoP proofs must hold a nonce of the provider's; none unless set.
    public var dpopNonce = DPoPNonce.none
    /// Pushed authorization requests (RFC 9126); off unless set.
    public var pushedRequests = Feature.off
    /// How long a pushed request may be used; 60 seconds unless given.
    public var pushedRequestLifetime: Duration = .seconds(60)
    /// Whether `response_mode=form_post` is offered; true unless set.
    public var supportsFormPost = true
    /// The authentication contexts that a client can ask for by `acr_values`; none unless given.
    ///
    /// The ID token's `acr` is the first wanted one that is listed here; there is no `acr` when none is.
    public var acrValues: [String] = []
    /// Whether tokens can be revoked (RFC 7009); false unless set.
    public var supportsRevocation = false
    /// Whether devices without a browser can sign in (RFC 8628); false unless set.
    public var supportsDeviceAuthorization = false
    /// How long a device's code lives; 600 seconds unless given.
    public var deviceCodeLifetime: Duration = .seconds(600)
    /// How long a device must wait between two polls; 5 seconds unless given.
    public var devicePollingInterval: Duration = .seconds(5)
    /// Where the browser may go after a logout, beside loopback URIs; the redirect URIs unless given.
    public var postLogoutRedirectURIs: [String]?
    /// Where the app takes logout tokens (OpenID Connect Back-Channel Logout section 2.2).
    public var backchannelLogoutURI: String?
    /// Whether the metadata list response types that the provider does not offer, in odd orders (`token id_token code`);
    /// true unless set.
    public var announcesOddResponseTypes = true
    /// Whether the key set lies at a path that nobody can guess; false unless set.
    public var randomizesKeySetPath = false
    /// Redirect URIs beside loopback ones, compared byte for byte.
    public var redirectURIs = ["https://app.example/callback", "https://app.example/callback/any"]
    /// How ID tokens are signed.
    public var algorithm = Algorithm.rs256
    /// Whether refresh tokens are issued; always, unless set.
    public var issuesRefreshTokens = true
    /// Whether a refresh brings a new ID token; true unless set.
    public var refreshesIDToken = true

    /// A configuration of defaults.
    public init() {}

    var responseModes: [String] { supportsFormPost ? ["query", "form_post"] : ["query"] }
}
