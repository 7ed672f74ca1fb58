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

    /// An environment of the given parts; clock and randomness default to the system's, observers to none.
    public init(
        transport: any HTTPTransport,
        clock: any IdentityClock = SystemClock(),
        random: any RandomSource = SystemRandom(),
        observers: [any IdentityObserver] = []
    ) {
        self.transport = transport
        self.clock = clock
        self.random = random
        self.observers = observers
    }
}
