/// The refreshes of this process: at most one per session at a time, which all who ask meanwhile share.
struct SharedRefreshes: Sendable {
    private let refresher: TokenRefresher
    private let timeouts: ProviderTimeouts
    private let cache: CredentialCache?
    private let participants: SessionParticipants
    private let events: EventSource
    /// How long to wait for another process that refreshes the same session.
    private let lockWait: Duration
    private let flights: SingleFlight<SessionID, RefreshedSession>

    init(
        _ refresher: TokenRefresher,
        _ timeouts: ProviderTimeouts,
        _ cache: CredentialCache?,
        _ participants: SessionParticipants,
        _ events: EventSource,
        _ configuration: SessionManager.Configuration
    ) {
        self.refresher = refresher
        self.timeouts = timeouts
        self.cache = cache
        self.participants = participants
        self.events = events
        lockWait = configuration.lockWait
        // Real time, whatever the clock of a test or a simulation: this is about tasks that wait, not about tokens that age.
        flights = SingleFlight(
            waitingUpTo: configuration.refreshLimits.patience,
            on: SystemClock(),
            error: IdentityError.refreshTakesLong
        )
    }

    /// Refreshes a session, or joins the refresh that is under way, which may have another goal.
    ///
    /// - Returns: The session, and whether this caller started the refresh.
    func run(
        _ id: SessionID,
        for goal: RefreshGoal,
        waitingUpTo limit: Duration? = nil
    ) async throws -> (value: RefreshedSession, started: Bool) {
        try await flights.run(id) { [self] in try await refresh(id, for: goal, waitingUpTo: limit ?? lockWait) }
    }

    /// Starts a refresh unless one is under way, and does not wait.
    func start(_ id: SessionID, for goal: RefreshGoal) {
        flights.start(id) { [self] in try await refresh(id, for: goal, waitingUpTo: lockWait) }
    }

    /// Starts a refresh while the old tokens are still valid; after a failure the next one waits for a while.
    func startEarly(_ id: SessionID, replacing tokens: TokenSet) {
        flights.start(id) { [self] in
            do {
                return try await refresh(id, for: .replacing(tokens), waitingUpTo: lockWait)
            } catch {
                refresher.failedEarly(id, with: IdentityError.wrapping(error))
                throw error
            }
        }
    }

    /// Whether a session is being refreshed in this process.
    func isUnderWay(_ id: SessionID) -> Bool { flights.isUnderWay(id) }

    /// Waits until no refresh is under way but those that take longer than anybody waits.
    func drain() async { await flights.drain() }

    /// Refreshes a session and lets carts and others follow.
    private func refresh(
        _ id: SessionID,
        for goal: RefreshGoal,
        waitingUpTo limit: Duration
    ) async throws -> RefreshedSession {
        defer { cache?.remove(id) }
        try timeouts.check()
        // Followers hear of new tokens once, not at every call while nothing can be saved.
        let wasUnsaved = refresher.hasUnsaved(id)
        let refreshed: RefreshedSession
        do {
            refreshed = try await refresher.refresh(id, for: goal, waitingUpTo: limit)
        } catch {
            if IdentityError.wrapping(error).kind == .signInAgain { participants.followEnd(of: id) }
            throw error
        }
        if refreshed.outcome != .waited, case .replacing(let old) = goal,
            let losses = TokenLosses(from: old, to: refreshed.tokens)
        {
            events.emit(.tokensReduced(losses), provider: refreshed.stored.provider, session: id)
        }
        if refreshed.outcome != .waited, !wasUnsaved || !refresher.hasUnsaved(id) {
            participants.follow(refreshed.session)
        }
        return refreshed
    }
}
