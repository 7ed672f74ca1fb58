internal import Synchronization

/// The objects that all parts of one ``SessionManager`` share, including everything that the manager keeps in memory.
final class SessionContext: Sendable {
    let environment: IdentityEnvironment
    let configuration: SessionManager.Configuration
    let events: EventSource
    let visible: VisibleSessions
    /// The providers of all tenants, because any of them may send a browser to a callback of this tenant.
    let possibleSenders: ProviderRegistry
    let background = BackgroundWork()
    let participants: SessionParticipants
    let signInRecords: SignInRecords

    let cache: SessionTokensCache?
    let reads: SharedSessionReads
    let rejected: RejectedTokens
    let replaced = ReplacedSessions()

    let schedule: RefreshSchedule
    /// The refreshes that run in this process: at most one per session, which all concurrent callers share.
    let flights: SingleFlight<SessionID, SessionTokens>
    /// The states that could not be saved yet.
    let unsaved: UnsavedTokens
    let pauses: SessionRefreshPauses
    let limiters = Mutex<[String: ProviderRefreshLimiter]>([:])
    let claims: ObservedRefreshClaims
    let reportedResponses = ReportedResponses()

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
        signInRecords = SignInRecords(store, clock: clock, interval: configuration.useInterval)
        cache = SessionTokensCache(configuration, clock: clock)
        reads = SharedSessionReads(visible)
        rejected = RejectedTokens(clock)
        schedule = RefreshSchedule(configuration, clock: clock)
        // Real time, also with the clock of a test or a simulation, because it limits the wait of tasks and not the age
        // of tokens.
        flights = SingleFlight(
            waitingUpTo: configuration.refreshLimits.maximumWait,
            on: SystemClock(),
            error: IdentityError.refreshTakesLong
        )
        unsaved = UnsavedTokens(store, events)
        pauses = SessionRefreshPauses(in: environment)
        claims = ObservedRefreshClaims(clock, longestStep: configuration.repairInterval)
    }
}
