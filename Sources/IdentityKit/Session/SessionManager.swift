internal import FoundationEssentials
internal import Synchronization

/// The everyday face of the SDK: begins and completes logins, keeps sessions, always has a valid token, ends sessions.
///
/// One instance serves a whole app; every method may be called from any task.
public final class SessionManager: Sendable {
    /// How a manager behaves.
    public struct Configuration: Sendable {
        /// How long a buyer has to finish a login, by default 10 minutes.
        public var attemptLifetime: Duration = .seconds(600)
        /// How long a session is kept after its last refresh, by default 90 days; after that it is unknown to every call.
        public var sessionRetention: Duration = .seconds(90 * 86_400)
        /// How long a session may last since the buyer signed in, however often it is refreshed; by default nil for any time.
        ///
        /// After that it is unknown to every call, and the buyer has to sign in again. 30 days are a good value for a shop
        /// (NIST SP 800-63B section 4.1.3). Guests' sessions have no sign-in and are not limited by it.
        public var maximumSessionLifetime: Duration?
        /// The share of a token's lifetime after which it is refreshed behind the caller's back, by default 0.8; sessions are spread by
        /// a twentieth to both sides of it.
        public var earlyRefresh: Double = 0.8
        /// How many sessions' credentials are kept in memory for ``cacheLifetime``, by default none.
        ///
        /// A credential takes some 2 KB. With it, a call for a busy session costs no read of the store.
        public var cachedSessions = 0
        /// How long a credential is served from memory, by default 5 seconds: so late this process may hear of a logout in another.
        public var cacheLifetime: Duration = .seconds(5)
        /// How many refreshes at a time, and how long a provider that fails is left alone.
        public var refreshLimits = RefreshLimits()
        /// How long to wait for another process that refreshes the same session, by default 15 seconds.
        public var lockWait: Duration = .seconds(15)
        /// The pause between two repairs of ``SessionManager/maintain(sweepingEvery:)``, by default 5 seconds.
        ///
        /// All processes that share a store need the same value: a process leaves the claim of another one alone for so long that the
        /// other can repair its session once.
        public var repairInterval: Duration = .seconds(5)
        /// How long a claim is left alone whose holder lost its lock.
        ///
        /// By default the provider's timeout, the time for saving and one repair interval. For tests whose clock goes faster than the
        /// time that requests take.
        package var claimWait: Duration?
        /// Whether a logout also has the tokens revoked where the provider takes them back (RFC 7009), by default true.
        public var revokesTokens = true
        /// How long a logout waits for the revocation, by default 5 seconds.
        public var revocationTimeout: Duration = .seconds(5)
        /// Where a browser may be sent after a login or logout, by default to paths of this app only.
        public var returnPaths = ReturnPathPolicy.pathsOnly
        /// The only tenant that the manager knows, by default nil for all: to it sessions and providers of others do not exist.
        public var tenant: String?

        /// The defaults.
        public init() {}
    }

    /// What is asked of one provider at most; every provider of a manager, and so every shop, has limits of its own.
    public struct RefreshLimits: Sendable {
        /// How many sessions are refreshed at the same time, by default 64.
        public var concurrent = 64
        /// How many more may wait for that, by default 4,096; beyond that a refresh fails as ``IdentityError/Code/renewalBusy``.
        public var waiting = 4_096
        /// After how many failures in a row the provider is not asked for a while, by default 5.
        public var failures = 5
        /// The longest pause after the first such series, by default 1 second; it doubles with each failed probe, and is random below
        /// that, so that processes do not come back together.
        public var pause: Duration = .seconds(1)
        /// The longest pause of all, by default 60 seconds, also where the provider asks for more (`Retry-After`).
        public var maximumPause: Duration = .seconds(60)
        /// How long anybody waits for one refresh, by default 90 seconds, which is more than the SDK's own providers take.
        ///
        /// A provider that never answers costs its callers this long; the refresh itself goes on.
        public var patience: Duration = .seconds(90)

        /// The defaults.
        public init() {}
    }

    let providers: ProviderRegistry
    /// The providers of all tenants: any of them may send a browser to a callback of this one.
    let possibleSenders: ProviderRegistry
    let store: any SessionStore
    let environment: IdentityEnvironment
    let configuration: Configuration
    let events: EventSource
    let revocation: TokenRevocation
    let schedule: RefreshSchedule
    let refresher: TokenRefresher
    let refreshes: SingleFlight<SessionID, RefreshedSession>
    let cache: CredentialCache?
    let followUps = Mutex(FollowUps())
    let followUpRuns = SingleFlight<Int, Bool>()
    let lifetime: SessionLifetime
    private let participantBoxes = Mutex<[ParticipantBox]>([])

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
        possibleSenders = providers
        let providers = configuration.tenant.map(providers.limited(to:)) ?? providers
        self.providers = providers
        self.store = store
        self.environment = environment
        self.configuration = configuration
        let events = EventSource(observers: observers, clock: environment.clock, providers: providers)
        self.events = events
        revocation = TokenRevocation(
            providers: providers,
            environment: environment,
            configuration: configuration,
            events: events
        )
        // Real time, whatever the clock of a test or a simulation: this is about tasks that wait, not about tokens that age.
        refreshes = SingleFlight(
            waitingUpTo: configuration.refreshLimits.patience,
            on: SystemClock(),
            error: IdentityError.refreshTakesLong
        )
        lifetime = SessionLifetime(configuration, clock: environment.clock)
        schedule = RefreshSchedule(configuration, clock: environment.clock)
        refresher = TokenRefresher(
            providers: providers,
            store: store,
            environment: environment,
            lifetime: lifetime,
            schedule: schedule,
            configuration: configuration,
            events: events,
            revocation: revocation
        )
        cache = CredentialCache(
            maximum: configuration.cachedSessions,
            lifetime: configuration.cacheLifetime,
            clock: environment.clock
        )
    }

    /// Lets something, such as a cart adapter, follow every session's life; it is held weakly, the app owns it.
    public func add(_ participant: any SessionParticipant) {
        participantBoxes.withLock { $0.append(ParticipantBox(participant)) }
    }

    var participants: [any SessionParticipant] {
        participantBoxes.withLock { boxes in
            boxes.removeAll { $0.participant == nil }
            return boxes.compactMap(\.participant)
        }
    }

    /// The names of the providers to choose from, in order.
    public var providerNames: [String] { providers.names }

    /// What is known of a provider.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/providerUnknown``.
    public func descriptor(of provider: String) throws(IdentityError) -> ProviderDescriptor {
        try providers.provider(named: provider).descriptor
    }

    /// A session, without its tokens.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/sessionUnknown``, or the store's error.
    public func session(_ id: SessionID) async throws -> Session {
        try await Correlation.scope {
            let stored = try await load(id)
            return Session(stored, try SessionState(stored))
        }
    }

    /// The sessions that match, oldest first; those that a store cannot read any more may be left out.
    public func sessions(matching filter: SessionFilter = SessionFilter()) async throws -> [Session] {
        try await Correlation.scope {
            guard let filter = pinned(filter) else { return [] }
            return try await store.readable(filter).sessions.compactMap {
                lifetime.isOver($0) ? nil : Session($0, try SessionState($0))
            }
        }
    }

    func load(_ id: SessionID) async throws -> StoredSession {
        guard let stored = try await store.session(id), isKnown(stored) else { throw IdentityError.unknownSession }
        return stored
    }

    func emit(
        _ kind: IdentityEvent.Kind,
        provider: String,
        session: SessionID? = nil,
        since start: Duration
    ) {
        events.emit(kind, provider: provider, session: session, since: start)
    }
}

/// Holds a participant without keeping it alive: it usually holds the manager.
private struct ParticipantBox: Sendable {
    weak let participant: (any SessionParticipant)?

    init(_ participant: any SessionParticipant) {
        self.participant = participant
    }
}
