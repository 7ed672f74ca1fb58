/// The settings of the sandbox's Bolt.
public struct SandboxBoltConfiguration: Sendable {
    /// The publishable key, which is the OAuth `client_id`; the part after its last dot is also accepted.
    public var publishableKey = "sandboxmerchant.sandboxdivision.9f8e7d6c5b4a39281706"
    /// The API key, which is the OAuth `client_secret` and the `X-API-Key`.
    public var apiKey = "sandbox-api-key+with/awkward=signs&more"
    /// The `iss` of ID tokens, and the `issuer` in the discovery document.
    ///
    /// As at the real Bolt, the issuer differs from ``SandboxBolt/origin``. A client must not require that they are equal.
    public var issuer = "https://api-sandbox.boltapp.com"
    /// The registered callback (`oauth_redirect`), used when a login has no redirect URI.
    public var callbackURL = "https://app.example/callback/bolt"
    /// The URIs that a login may send as `redirect_uri`, in addition to ``callbackURL``.
    ///
    /// The sandbox compares URIs byte for byte. Only the port of a loopback URI (`http://127.0.0.1` or `http://[::1]`) may differ.
    public var redirectURIs = RedirectRule.loopback

    /// A configuration with the defaults.
    public init() {}
}
