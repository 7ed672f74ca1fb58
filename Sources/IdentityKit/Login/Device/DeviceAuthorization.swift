/// A login on another device that is under way: what to show, and what to poll with (RFC 8628 section 3.2).
public struct DeviceAuthorization: Sendable {
    /// What the buyer must see.
    public var prompt: DeviceLoginPrompt
    /// What the tokens are asked for with; shown to nobody.
    public var deviceCode: Secret
    /// How long the code lives, counted from before it was asked for.
    public var lifetime: Duration
    /// The least time between two polls, by default 5 seconds (RFC 8628 section 3.2).
    public var interval: Duration = .seconds(5)
    /// The scopes that were asked for.
    public var scopes: [String]
    /// The issuer that discovery named, from which the ID token must come; nil when none is known.
    public var issuer: String?
    /// The `max_age` that was asked for, in seconds.
    public var maximumAgeSeconds: Int?
    /// The `acr_values` that were asked for.
    public var authenticationContexts: [String] = []
    /// The key to which the tokens are to be bound (RFC 9449), a private JWK; nil when they are bound to none.
    public var dpopKey: Secret?

    /// Creates an authorization; for those who write a provider.
    public init(prompt: DeviceLoginPrompt, deviceCode: Secret, lifetime: Duration, scopes: [String]) {
        self.prompt = prompt
        self.deviceCode = deviceCode
        self.lifetime = lifetime
        self.scopes = scopes
    }
}
