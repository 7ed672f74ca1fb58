/// The settings of the sandbox's Bolt.
public struct SandboxBoltConfiguration: Sendable {
    /// The publishable key, which is the OAuth `client_id`; its last section is accepted as well.
    public var publishableKey = "sandboxmerchant.sandboxdivision.9f8e7d6c5b4a39281706"
    /// The API key, which is the OAuth `client_secret` and the `X-API-Key`.
    public var apiKey = "sandbox-api-key+with/awkward=signs&more"
    /// The `iss` of ID tokens, and the `issuer` in the discovery document.
    ///
    /// As at the real Bolt, the issuer differs from ``SandboxBolt/origin``. A client must not require that they are equal.
    public var issuer = "https://api-sandbox.boltapp.com"
    /// The registered callback (`oauth_redirect`), used when a login has no redirect URI.
    public var callbackURL = "https://app.example/callback/bolt"
    /// The URIs besides the registered callback that a login may send as `redirect_uri`.
    ///
    /// They are compared byte for byte; for a loopback URI the port may differ.
    public var redirectURIs = RedirectRule.loopback
    /// Whether a client that used PKCE may omit the secret; by default true.
    ///
    /// Bolt's documentation does not say whether it may.
    public var acceptsPublicClients = true
    /// Whether a client that used PKCE without a secret gets refresh tokens; by default true.
    ///
    /// Bolt's documentation does not say whether it does.
    public var refreshesPublicClients = true
    /// The HTTP status of `invalid_grant`.
    ///
    /// The default is 400, which Bolt returned in a recorded exchange. Bolt's documentation says 422.
    public var invalidGrantStatus = 400

    /// A configuration with the defaults.
    public init() {}

    /// The part of the publishable key after its last dot, or the whole key if it has no dot.
    ///
    /// Some clients send it as `client_id`.
    public var publishableKeyLastSection: String {
        publishableKey.split(separator: ".").last.map(String.init) ?? publishableKey
    }
}
