public import IdentityKit

/// A client that is registered at the sandbox's OpenID provider.
public struct SandboxOpenIDClient: Sendable {
    /// The client id.
    public var clientID = "sandbox-openid-client"
    /// The client secret; nil for a public client, which must use PKCE, and for a client that authenticates with a key.
    ///
    /// Form-encoding does not change the default secret, so the secret also works for a client that omits form-encoding. To detect such a
    /// client, use ``SandboxOpenIDConfiguration/specialClientSecret``.
    public var clientSecret: String? = "sandbox-openid-secret-5d1f0c7a9b3e4286"
    /// The only method by which the client may authenticate at the token endpoint and similar endpoints.
    ///
    /// Nil, the default, permits `client_secret_basic` and `client_secret_post` if ``clientSecret`` is set, and otherwise only
    /// ``SandboxOpenIDConfiguration/ClientAuthentication/none``.
    public var clientAuthentication: SandboxOpenIDConfiguration.ClientAuthentication?
    /// The client's registered public keys as JWKs, for ``SandboxOpenIDConfiguration/ClientAuthentication/privateKeyJWT``.
    public var clientKeys: [JSONObject] = []
    /// The registered redirect URIs.
    ///
    /// The sandbox compares URIs byte for byte. Only the port of a loopback URI (`http://127.0.0.1` or `http://[::1]`) may differ.
    public var redirectURIs = SandboxOpenIDClient.usualRedirectURIs
    /// The registered post-logout redirect URIs, compared like ``redirectURIs``; by default the redirect URIs.
    public var postLogoutRedirectURIs: [String]?
    /// The client's back-channel logout URI, which receives logout tokens (OpenID Connect Back-Channel Logout section 2.2).
    ///
    /// The provider sends a logout token when a session of the client ends by a logout at the provider, by
    /// ``SandboxOpenID/endSession(_:)`` or by ``SandboxOpenID/endSessions(ofBuyer:)``. A test can send a logout token to the first client
    /// without ending a session: `sendLogoutToken(for:)` of ``SandboxOpenID``.
    public var backchannelLogoutURI: String?
    /// How the client's ID tokens and logout tokens are signed; by default `RS256`.
    public var algorithm = SandboxOpenIDConfiguration.Algorithm.rs256
    /// How UserInfo responses for the client are signed (OpenID Connect Core section 5.3.2); by default plain JSON.
    public var userInfoAlgorithm: SandboxOpenIDConfiguration.Algorithm?

    static let usualRedirectURIs =
        ["https://app.example/callback", "https://app.example/callback/any"] + RedirectRule.loopback

    /// A client with the defaults.
    public init() {}

    var permittedAuthentication: [SandboxOpenIDConfiguration.ClientAuthentication] {
        if let clientAuthentication { return [clientAuthentication] }
        return clientSecret == nil ? [.none] : [.clientSecretBasic, .clientSecretPost]
    }

    var isPublic: Bool { permittedAuthentication == [.none] }
}
