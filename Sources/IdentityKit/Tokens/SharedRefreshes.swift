/// The refreshes of this process: at most one per session at a time, which all concurrent callers share.
struct SharedRefreshes: Sendable {
    private let refresher: TokenRefresher
    private let lockTimeCheck: LockTimeCheck
    private let cache: CredentialCache?
    private let participants: SessionParticipants
    private let events: EventSource
    /// The maximum wait for another process that refreshes the same session.
    let lockWait: Duration
    private let flights: SingleFlight<SessionID, RefreshedSession>

    init(
        _ refresher: TokenRefresher,
        _ lockTimeCheck: LockTimeCheck,
        _ cache: CredentialCache?,
        _ participants: SessionParticipants,
        _ events: EventSource,
        _ configuration: SessionManager.Configuration
    ) {
        self.refresher = refresher
        self.lockTimeCheck = lockTimeCheck
        self.cache = cache
        self.participants = participants
        self.events = events
        lockWait = configuration.lockWait
        // Real time, also with the clock of a test or a simulation, because it limits the wait of tasks and not the age
        // of tokens.
        flights = SingleFlight(
            waitingUpTo: configuration.refreshLimits.maximumWait,
            on: SystemClock(),
            error: IdentityError.refreshTakesLong
        )
    }

    /// Refreshes a session, or joins the running refresh, which may have another goal.
    ///
    /// - Returns: The session, and whether this caller started the refresh.
    func run(
        _ id: SessionID,
        for goal: RefreshGoal,
        waitingUpTo limit: Duration
    ) async throws -> (value: RefreshedSession, started: Bool) {
        try await flights.run(id) { [self] in try await refresh(id, for: goal, waitingUpTo: limit) }
    }

    /// Starts a refresh unless one runs, and does not wait.
    func start(_ id: SessionID, for goal: RefreshGoal) {
        flights.start(id) { [self] in try await refresh(id, for: goal, waitingUpTo: lockWait) }
    }

    /// Starts a refresh while the old tokens are still valid; after a failure the next one is delayed.
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

    /// Waits until no refresh runs, except those that have exceeded the time limit.
    func drain() async { await flights.drain() }

    /// Refreshes a session and notifies the participants.
    private func refresh(
        _ id: SessionID,
        for goal: RefreshGoal,
        waitingUpTo limit: Duration
    ) async throws -> RefreshedSession {
        defer { cache?.remove(id) }
        try lockTimeCheck.run()
        // Participants are notified once, not at every call while tokens cannot be saved.
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
            events.emit(.tokensReduced(losses), provider: refreshed.session.provider, session: id)
        }
        if refreshed.outcome != .waited, !wasUnsaved || !refresher.hasUnsaved(id) {
            participants.follow(refreshed.session)
        }
        return refreshed
    }
}
