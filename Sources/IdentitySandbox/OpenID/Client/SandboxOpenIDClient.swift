public import IdentityKit

/// A client that is registered at the sandbox's OpenID provider.
public struct SandboxOpenIDClient: Sendable {
    /// The client id.
    public var clientID = "sandbox-openid-client"
    /// The client secret; nil for a public client, which must use PKCE.
    ///
    /// Form-encoding does not change the default, so every client can use it. ``SandboxOpenIDConfiguration/specialClientSecret``
    /// finds clients that do not form-encode.
    public var clientSecret: String? = "sandbox-openid-secret-5d1f0c7a9b3e4286"
    /// The only method by which the client may authenticate at the token endpoint and similar endpoints.
    ///
    /// Nil, the default, follows ``clientSecret``: either method with the secret, or
    /// ``SandboxOpenIDConfiguration/ClientAuthentication/none`` without one.
    public var clientAuthentication: SandboxOpenIDConfiguration.ClientAuthentication?
    /// The client's registered public keys as JWKs, for ``SandboxOpenIDConfiguration/ClientAuthentication/privateKeyJWT``.
    public var clientKeys: [JSONObject] = []
    /// The registered redirect URIs, compared byte for byte; for a loopback URI the port may differ.
    public var redirectURIs = SandboxOpenIDClient.usualRedirectURIs
    /// The registered post-logout redirect URIs, compared like ``redirectURIs``; by default the redirect URIs.
    public var postLogoutRedirectURIs: [String]?
    /// The app's endpoint for logout tokens (OpenID Connect Back-Channel Logout section 2.2).
    ///
    /// When a browser signs out at the provider, the endpoint receives a logout token.
    public var backchannelLogoutURI: String?
    /// How the client's ID tokens are signed; by default `RS256`.
    public var algorithm = SandboxOpenIDConfiguration.Algorithm.rs256
    /// How UserInfo responses for the client are signed (OpenID Connect Core section 5.3.2); by default plain JSON.
    public var userInfoAlgorithm: SandboxOpenIDConfiguration.Algorithm?

    static let usualRedirectURIs =
        ["https://app.example/callback", "https://app.example/callback/any"] + RedirectRule.loopback

    /// A client with the defaults.
    public init() {}

    /// The methods by which the client may authenticate at the token endpoint and similar endpoints.
    var permittedAuthentication: [SandboxOpenIDConfiguration.ClientAuthentication] {
        if let clientAuthentication { return [clientAuthentication] }
        return clientSecret == nil ? [.none] : [.clientSecretBasic, .clientSecretPost]
    }

    /// Whether the client is public.
    var isPublic: Bool { permittedAuthentication == [.none] }
}
