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
}
