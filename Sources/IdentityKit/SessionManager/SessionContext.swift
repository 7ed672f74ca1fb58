/// The objects that all parts of one ``SessionManager`` share, including everything that the manager keeps in memory.
final class SessionContext: Sendable {
    let environment: IdentityEnvironment
    let configuration: SessionManager.Configuration
    let events: EventSource
    let visible: VisibleSessions
    /// The providers of all tenants, because any of them could send a browser to a callback of this manager (mix-up attack).
    let possibleSenders: ProviderRegistry
    let background = BackgroundWork()
    let participants: SessionParticipants
    let signInRecords: SignInRecords

    let cache: SessionTokensCache?
    let reads: SharedSessionReads
    let rejected: RejectedTokens
    let replaced = ReplacedSessions()
    let runningLogouts: RunningLogouts<LogoutOptions, LogoutResult>

    let schedule: RefreshSchedule
    let refreshMemory: RefreshMemory

    init(
        _ providers: ProviderRegistry,
        _ store: any SessionStore,
        _ environment: IdentityEnvironment,
        _ configuration: SessionManager.Configuration,
        _ observers: [any IdentityObserver]
    ) {
        self.environment = environment
        self.configuration = configuration
        let clock = environment.clock
        possibleSenders = providers
        let providers = configuration.tenant.map(providers.limited(to:)) ?? providers
        events = EventSource(observers: observers, clock: clock, providers: providers)
        let lifetime = SessionLifetime(configuration, clock: clock)
        visible = VisibleSessions(store: store, providers: providers, tenant: configuration.tenant, lifetime: lifetime)
        participants = SessionParticipants(
            visible,
            clock: clock,
            events: events,
            background: background,
            longestWait: configuration.participantWait
        )
        runningLogouts = RunningLogouts(background)
        signInRecords = SignInRecords(store, clock: clock, interval: configuration.useInterval)
        cache = SessionTokensCache(configuration, clock: clock)
        reads = SharedSessionReads(visible)
        rejected = RejectedTokens(clock)
        schedule = RefreshSchedule(configuration, clock: clock)
        refreshMemory = RefreshMemory(store, environment, configuration, events)
    }
}
