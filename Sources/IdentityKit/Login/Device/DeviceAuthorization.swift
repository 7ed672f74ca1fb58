/// A device authorization response: the prompt for the buyer and the code to poll with (RFC 8628 section 3.2).
public struct DeviceAuthorization: Sendable {
    /// The prompt to show to the buyer.
    public var prompt: DeviceLoginPrompt
    /// The `device_code`, with which the client polls for tokens; never show it.
    public var deviceCode: Secret
    /// How long the code is valid, counted from the start of the request for the code.
    public var lifetime: Duration
    /// The shortest time between two polls, by default 5 seconds (RFC 8628 section 3.2).
    public var interval: Duration = .seconds(5)
    /// The requested scopes.
    public var scopes: [String]
    /// The issuer from discovery, which must have issued the ID token; nil if the provider's issuer is not known.
    public var issuer: String?
    /// The requested `max_age`, in seconds.
    public var maximumAgeSeconds: Int?
    /// The requested `acr_values`.
    public var authenticationContexts: [String] = []
    /// The PKCE code verifier that each poll sends (RFC 7636); nil without PKCE.
    public var codeVerifier: Secret?
    /// The DPoP key for the tokens (RFC 9449), a private JWK; nil without DPoP.
    public var dpopKey: Secret?

    /// Creates an authorization; for authors of providers.
    public init(prompt: DeviceLoginPrompt, deviceCode: Secret, lifetime: Duration, scopes: [String]) {
        self.prompt = prompt
        self.deviceCode = deviceCode
        self.lifetime = lifetime
        self.scopes = scopes
    }
}
