/// The everyday face of the SDK: begins and completes logins, keeps sessions, always has a valid token, ends sessions.
///
/// One instance serves a whole app; every method may be called from any task.
public final class SessionManager: Sendable {
    let known: KnownSessions
    let timeouts: ProviderTimeouts
    let participants: SessionParticipants
    let creator: SessionCreator
    let logins: LoginCoordinator
    let deviceLogins: DeviceLoginCoordinator
    let tokens: TokenAccess
    let logouts: LogoutCoordinator
    let backChannelLogouts: BackChannelLogoutCoordinator
    let logoutPages: LogoutPages
    let upkeep: SessionUpkeep

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - providers: The providers to choose from; pass those of all tenants, also where the configuration names one, so that a
    ///     callback from any of them is recognised.
    ///   - store: Where sessions and pending logins live.
    ///   - environment: Clock and randomness; pass the one that the providers have.
    ///   - configuration: Lifetimes and margins.
    ///   - observers: Who is told what happens.
    public init(
        providers: ProviderRegistry,
        store: any SessionStore,
        environment: IdentityEnvironment,
        configuration: Configuration = Configuration(),
        observers: [any IdentityObserver] = []
    ) {
        let (possibleSenders, clock) = (providers, environment.clock)
        let providers = configuration.tenant.map(providers.limited(to:)) ?? providers
        let events = EventSource(observers: observers, clock: clock, providers: providers)
        let revocation = TokenRevocation(
            providers: providers,
            environment: environment,
            configuration: configuration,
            events: events
        )
        let lifetime = SessionLifetime(configuration, clock: clock)
        known = KnownSessions(store: store, providers: providers, tenant: configuration.tenant, lifetime: lifetime)
        timeouts = ProviderTimeouts(providers: providers, store: store)
        participants = SessionParticipants(known, clock: clock, events: events)
        let schedule = RefreshSchedule(configuration, clock: clock)
        let refresher = TokenRefresher(
            providers: providers,
            store: store,
            environment: environment,
            lifetime: lifetime,
            schedule: schedule,
            configuration: configuration,
            events: events,
            revocation: revocation
        )
        let cache = CredentialCache(
            maximum: configuration.cachedSessions,
            lifetime: configuration.cacheLifetime,
            clock: clock
        )
        let refreshes = SharedRefreshes(refresher, timeouts, cache, participants, events, configuration)
        creator = SessionCreator(
            store: store,
            environment: environment,
            tenant: configuration.tenant,
            lifetime: lifetime,
            revocation: revocation
        )
        deviceLogins = DeviceLoginCoordinator(providers: providers, creator: creator, clock: clock, events: events)
        tokens = TokenAccess(
            known: known,
            schedule: schedule,
            refresher: refresher,
            refreshes: refreshes,
            cache: cache,
            participants: participants,
            refused: RefusedTokens(clock),
            lockWait: configuration.lockWait,
            clock: clock
        )
        logoutPages = LogoutPages(
            known: known,
            environment: environment,
            returnPaths: configuration.returnPaths,
            attemptLifetime: configuration.attemptLifetime,
            events: events
        )
        logouts = LogoutCoordinator(
            known: known,
            refresher: refresher,
            cache: cache,
            participants: participants,
            revocation: revocation,
            pages: logoutPages,
            returnPaths: configuration.returnPaths,
            clock: clock,
            events: events
        )
        let stepUps = StepUpCoordinator(
            known: known,
            creator: creator,
            logouts: logouts,
            participants: participants,
            revocation: revocation,
            attemptLifetime: configuration.attemptLifetime,
            clock: clock,
            events: events
        )
        logins = LoginCoordinator(
            known: known,
            possibleSenders: possibleSenders,
            timeouts: timeouts,
            creator: creator,
            stepUps: stepUps,
            environment: environment,
            attemptLifetime: configuration.attemptLifetime,
            returnPaths: configuration.returnPaths,
            events: events
        )
        backChannelLogouts = BackChannelLogoutCoordinator(
            known: known,
            logouts: logouts,
            participants: participants,
            clock: clock,
            events: events
        )
        upkeep = SessionUpkeep(
            known: known,
            timeouts: timeouts,
            refresher: refresher,
            refreshes: refreshes,
            participants: participants,
            repairInterval: configuration.repairInterval,
            clock: clock,
            events: events
        )
    }

    /// Lets something, such as a cart adapter, follow every session's life; it is held weakly, the app owns it.
    public func add(_ participant: any SessionParticipant) {
        participants.add(participant)
    }

    /// The names of the providers to choose from, in order.
    public var providerNames: [String] { known.providers.names }

    /// What is known of a provider.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/providerUnknown``.
    public func descriptor(of provider: String) throws(IdentityError) -> ProviderDescriptor {
        try known.providers.provider(named: provider).descriptor
    }

    /// A session, without its tokens.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/sessionUnknown``, or the store's error.
    public func session(_ id: SessionID) async throws -> Session {
        try await Correlation.scope {
            let stored = try await known.load(id)
            return Session(stored, try SessionState(stored))
        }
    }

    /// The sessions that match, oldest first; those that a store cannot read any more may be left out.
    public func sessions(matching filter: SessionFilter = SessionFilter()) async throws -> [Session] {
        try await Correlation.scope { try await known.matching(filter) }
    }
}
