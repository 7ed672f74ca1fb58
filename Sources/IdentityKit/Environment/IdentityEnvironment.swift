public import IdentityHTTP

/// The services that the SDK uses: HTTP transport, clock, random bytes and observers; every provider gets them as a parameter.
///
/// ```swift
/// let environment = IdentityEnvironment(transport: try CurlTransport(), userAgent: "MyShop/2.1")
/// ```
public struct IdentityEnvironment: Sendable {
    /// Sends HTTP requests.
    public var transport: any HTTPTransport
    /// Tells the time.
    public var clock: any IdentityClock
    /// Makes unpredictable bytes.
    public var random: any RandomSource
    /// The observers of events that a provider itself reports, such as a failed fetch of keys.
    ///
    /// Other events of logins and sessions go to the observers of the ``SessionManager``.
    public var observers: [any IdentityObserver]
    /// The `User-Agent` of every request to providers and shops, for example `MyShop/2.1`; Shopify rejects requests without `User-Agent`.
    public var userAgent: String

    /// Creates an environment; by default with the system's clock and random bytes, no observers and the SDK's `User-Agent`.
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
