public import IdentityHTTP

/// What the SDK takes from the world outside: clock, randomness, HTTP; passed in, nothing global.
public struct IdentityEnvironment: Sendable {
    /// How requests are sent.
    public var transport: any HTTPTransport
    /// What time it is.
    public var clock: any IdentityClock
    /// Where unpredictable bytes come from.
    public var random: any RandomSource
    /// Who hears of what belongs to a provider and to no session, such as an outage of its keys; the observers of a session
    /// manager hear of logins and sessions.
    public var observers: [any IdentityObserver]
    /// The `User-Agent` of every request to providers and shops, for example `MyShop/2.1`; Shopify refuses requests without one.
    public var userAgent: String

    /// An environment of the given parts; clock and randomness default to the system's, observers to none, and the `User-Agent` is the
    /// SDK's.
    public init(
        transport: any HTTPTransport,
        clock: any IdentityClock = SystemClock(),
        random: any RandomSource = SystemRandom(),
        observers: [any IdentityObserver] = [],
        userAgent: String = UserAgent.standard
    ) {
        self.transport = transport
        self.clock = clock
        self.random = random
        self.observers = observers
        self.userAgent = userAgent
    }
}
