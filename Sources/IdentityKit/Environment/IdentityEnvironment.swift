public import IdentityHTTP

/// What the SDK takes from the world outside: clock, randomness, HTTP; passed in, nothing global.
public struct IdentityEnvironment: Sendable {
    /// How requests are sent.
    public var transport: any HTTPTransport
    /// What time it is.
    public var clock: any IdentityClock
    /// Where unpredictable bytes come from.
    public var random: any RandomSource

    /// An environment of the given parts; clock and randomness default to the system's.
    public init(
        transport: any HTTPTransport,
        clock: any IdentityClock = SystemClock(),
        random: any RandomSource = SystemRandom()
    ) {
        self.transport = transport
        self.clock = clock
        self.random = random
    }
}
