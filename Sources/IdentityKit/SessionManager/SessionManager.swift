/// The main interface of the SDK: it begins and completes logins, stores sessions, returns valid tokens and ends sessions.
///
/// One instance serves a whole app; every method may be called from any task.
public final class SessionManager: Sendable {
    let visible: VisibleSessions
    let lockTimeCheck: LockTimeCheck
    let participants: SessionParticipants
    let creator: SessionCreator
    let logins: LoginCoordinator
    let deviceLogins: DeviceLoginCoordinator
    let tokenAccess: TokenAccess
    let logouts: LogoutCoordinator
    let backChannelLogouts: BackChannelLogoutCoordinator
    let providerLogout: ProviderLogout
    let upkeep: SessionUpkeep
    let signInRecords: SignInRecords

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - providers: The providers to choose from. Pass the providers of all tenants, even if the configuration names one tenant, so
    ///     that a callback from any of them is recognised.
    ///   - store: The store for sessions and pending logins.
    ///   - environment: Clock and randomness; pass the environment of the providers.
    ///   - configuration: Time limits, retention and other settings.
    ///   - observers: Receive the events of logins and sessions.
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
        visible = VisibleSessions(store: store, providers: providers, tenant: configuration.tenant, lifetime: lifetime)
        lockTimeCheck = LockTimeCheck(providers: providers, store: store)
        participants = SessionParticipants(visible, clock: clock, events: events)
        let schedule = RefreshSchedule(configuration, clock: clock)
        let cache = SessionTokensCache(
            maximum: configuration.cachedSessions,
            lifetime: configuration.cacheLifetime,
            clock: clock
        )
        let refresher = TokenRefresher(
            visible: visible,
            lockTimeCheck: lockTimeCheck,
            schedule: schedule,
            cache: cache,
            participants: participants,
            revocation: revocation,
            environment: environment,
            configuration: configuration,
            events: events
        )
        signInRecords = SignInRecords(store, clock: clock, interval: configuration.useInterval)
        creator = SessionCreator(
            store: store,
            environment: environment,
            tenant: configuration.tenant,
            lifetime: lifetime,
            revocation: revocation,
            signInRecords: signInRecords
        )
        deviceLogins = DeviceLoginCoordinator(providers: providers, creator: creator, clock: clock, events: events)
        tokenAccess = TokenAccess(
            visible: visible,
            reads: SharedReads(visible),
            schedule: schedule,
            refresher: refresher,
            cache: cache,
            participants: participants,
            refused: RefusedTokens(clock)
        )
        providerLogout = ProviderLogout(
            visible: visible,
            environment: environment,
            returnPaths: configuration.returnPaths,
            attemptLifetime: configuration.attemptLifetime,
            events: events
        )
        logouts = LogoutCoordinator(
            visible: visible,
            refresher: refresher,
            cache: cache,
            participants: participants,
            revocation: revocation,
            providerLogout: providerLogout,
            returnPaths: configuration.returnPaths,
            clock: clock,
            events: events
        )
        let stepUps = StepUpCoordinator(
            visible: visible,
            refresher: refresher,
            creator: creator,
            logouts: logouts,
            participants: participants,
            attemptLifetime: configuration.attemptLifetime,
            clock: clock,
            events: events
        )
        logins = LoginCoordinator(
            visible: visible,
            mixUpCheck: MixUpCheck(providers: providers, possibleSenders: possibleSenders),
            lockTimeCheck: lockTimeCheck,
            creator: creator,
            stepUps: stepUps,
            environment: environment,
            attemptLifetime: configuration.attemptLifetime,
            returnPaths: configuration.returnPaths,
            events: events
        )
        backChannelLogouts = BackChannelLogoutCoordinator(
            visible: visible,
            logouts: logouts,
            participants: participants,
            clock: clock,
            events: events
        )
        upkeep = SessionUpkeep(
            visible: visible,
            lockTimeCheck: lockTimeCheck,
            refresher: refresher,
            participants: participants,
            repairInterval: configuration.repairInterval,
            clock: clock,
            events: events
        )
    }

    /// Adds a participant, such as a cart adapter, which is notified when sessions change or end.
    ///
    /// The reference is weak, so the app must keep it.
    public func add(_ participant: any SessionParticipant) {
        participants.add(participant)
    }

    /// The names of the available providers, in order.
    public var providerNames: [String] { visible.providers.names }

    /// The description of a provider.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/providerUnknown``.
    public func descriptor(of provider: String) throws(IdentityError) -> ProviderDescriptor {
        try visible.providers.provider(named: provider).descriptor
    }

    /// A session, without its tokens.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/sessionUnknown``, or the store's error.
    public func session(_ id: SessionID) async throws -> Session {
        try await Correlation.scope { try await visible.load(id).read().session }
    }

    /// The sessions that match, oldest first, without those that another version of the app wrote and this one cannot read.
    ///
    /// Sessions that the store cannot decrypt may be omitted, too. ``logoutAll(issuer:subject:tenant:)`` does not depend on this list.
    ///
    /// - Throws: ``IdentityError`` of the store.
    public func sessions(matching filter: SessionFilter = SessionFilter()) async throws -> [Session] {
        try await Correlation.scope { try await visible.matching(filter) }
    }
}
