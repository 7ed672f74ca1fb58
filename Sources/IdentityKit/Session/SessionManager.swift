internal import FoundationEssentials
internal import IdentityCrypto
internal import Synchronization

/// The everyday face of the SDK: begins and completes logins, keeps sessions, always has a valid token, ends sessions.
///
/// One instance serves a whole app; every method may be called from any task.
public final class SessionManager: Sendable {
    /// How a manager behaves.
    public struct Configuration: Sendable {
        /// How long a buyer has to finish a login, by default 10 minutes.
        public var attemptLifetime: Duration = .seconds(600)
        /// How long a session is kept after its last renewal, by default 90 days.
        public var sessionRetention: Duration = .seconds(90 * 86_400)
        /// The share of a token's lifetime after which it is renewed behind the caller's back, by default 0.8.
        public var earlyRenewal: Double = 0.8
        /// How long to wait for another process that renews the same session, by default 15 seconds.
        public var lockWait: Duration = .seconds(15)
        /// How long a renewal that another process began is left alone where the store has no locks, by default 60 seconds;
        /// it must be longer than a provider may take for two exchanges.
        public var renewalLease: Duration = .seconds(60)
        /// Whether a logout also has the tokens revoked where the provider takes them back (RFC 7009), by default true.
        public var revokesTokens = true
        /// How long a logout waits for the revocation, by default 5 seconds.
        public var revocationTimeout: Duration = .seconds(5)
        /// Where a browser may be sent after a login or logout, by default to paths of this app only.
        public var returnPaths = ReturnPathPolicy.pathsOnly

        /// The defaults.
        public init() {}
    }

    let providers: ProviderRegistry
    let store: any SessionStore
    let environment: IdentityEnvironment
    let configuration: Configuration
    let observers: [any IdentityObserver]
    let renewals = SingleFlight<SessionID, Renewal>()
    /// Until when a session is not renewed early again, on the clock that never jumps.
    let earlyFailures = Mutex<[SessionID: Duration]>([:])
    let followUps = Mutex(FollowUps())
    let followUpRuns = SingleFlight<Int, Bool>()
    let unsaved = Mutex<[SessionID: UnsavedTokens]>([:])
    private let participantBoxes = Mutex<[ParticipantBox]>([])

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - providers: The providers to choose from.
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
        self.providers = providers
        self.store = store
        self.environment = environment
        self.configuration = configuration
        self.observers = observers
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
            return Session(stored, try SessionPayload(stored))
        }
    }

    /// The sessions that match, oldest first; those that a store cannot read any more may be left out.
    public func sessions(matching filter: SessionFilter = SessionFilter()) async throws -> [Session] {
        try await Correlation.scope {
            try await store.sessionsAndDamage(matching: filter).sessions.map { Session($0, try SessionPayload($0)) }
        }
    }

    /// Removes pending logins and sessions whose time is over; call it now and then.
    ///
    /// - Returns: How many were removed.
    public func sweep() async throws -> Int {
        guard let sweeping = store as? any ExpirySweeping else { return 0 }
        return try await sweeping.sweep(expiredBefore: environment.clock.now)
    }

    /// Waits until every renewal that is under way has been saved: call it before the process ends.
    public func drain() async {
        await renewals.drain()
        for id in unsaved.withLock({ Array($0.keys) }) {
            if let generation = try? await store.session(id)?.generation {
                renewals.start(id) { [self] in try await renew(id, from: generation) }
            }
        }
        await renewals.drain()
        await followUpRuns.drain()
    }

    func load(_ id: SessionID) async throws -> StoredSession {
        guard let stored = try await store.session(id) else { throw Self.unknownSession }
        return stored
    }

    static var unknownSession: IdentityError {
        IdentityError(
            .signInAgain,
            .sessionUnknown,
            "There is no such session.",
            hint: "The buyer signed out, the session has expired, or it belongs to another store."
        )
    }

    func emit(
        _ kind: IdentityEvent.Kind,
        provider: String,
        session: SessionID? = nil,
        since start: Duration
    ) {
        guard !observers.isEmpty else { return }
        let event = IdentityEvent(
            kind: kind,
            provider: provider,
            session: session,
            duration: environment.clock.elapsed - start,
            correlationID: Correlation.current ?? ""
        )
        for observer in observers { observer.identityEvent(event) }
    }
}

/// Holds a participant without keeping it alive: it usually holds the manager.
private struct ParticipantBox: Sendable {
    weak let participant: (any SessionParticipant)?

    init(_ participant: any SessionParticipant) {
        self.participant = participant
    }
}
