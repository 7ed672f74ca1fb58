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
    /// A client secret with characters that form-encoding changes.
    ///
    /// RFC 6749 section 2.3.1 asks for form-encoding before HTTP Basic, and many clients leave it out: they fail with this secret.
    public static let specialClientSecret = "sandbox-openid+secret/with=signs&more"

    /// The client secret; nil for a public client, which must use PKCE.
    ///
    /// The default holds nothing that form-encoding changes, so that every client can use it. ``specialClientSecret`` finds clients
    /// that do not form-encode.
    public var clientSecret: String? = "sandbox-openid-secret-5d1f0c7a9b3e4286"
    /// Whether a client that can prove who it is must use PKCE too; false unless set.
    public var requiresPKCE = false
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
    /// Where the browser may go after a logout, compared as ``redirectURIs`` are; the redirect URIs unless given.
    public var postLogoutRedirectURIs: [String]?
    /// Where the app takes logout tokens (OpenID Connect Back-Channel Logout section 2.2).
    public var backchannelLogoutURI: String?
    /// Whether the metadata list response types that the provider does not offer, in odd orders (`token id_token code`);
    /// false unless set.
    public var announcesOddResponseTypes = false
    /// Whether the key set lies at a path that nobody can guess; false unless set.
    public var randomizesKeySetPath = false
    /// The registered redirect URIs, compared byte for byte; of a loopback URI the port may differ.
    public var redirectURIs =
        ["https://app.example/callback", "https://app.example/callback/any"] + RedirectRule.loopback
    /// How ID tokens are signed.
    public var algorithm = Algorithm.rs256
    /// Whether refresh tokens are issued; always, unless set.
    public var issuesRefreshTokens = true
    /// Whether a refresh brings a new ID token; true unless set.
    public var refreshesIDToken = true

    /// A configuration with the defaults.
    public init() {}

    /// The scopes that the provider knows; others are dropped from a request.
    var scopes: [String] {
        ["openid", "email", "profile", "phone"] + (issuesRefreshTokens ? ["offline_access"] : [])
    }

    /// What a request for these scopes is granted.
    func granted(_ wanted: [String]) -> [String] {
        wanted.filter { scope in scopes.contains { $0.isIdentical(to: scope) } }
    }

    var responseModes: [String] { supportsFormPost ? ["query", "form_post"] : ["query"] }
}
