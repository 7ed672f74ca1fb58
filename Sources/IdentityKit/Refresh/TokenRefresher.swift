internal import FoundationEssentials
internal import Synchronization

/// Refreshes sessions, each at most once at a time among all tasks, processes and machines.
///
/// ``RefreshStateMachine`` decides each step; this type holds the session's lock, performs the steps and reports them. All I/O of a
/// refresh is here, and in ``UnsavedTokens`` for the spool.
final class TokenRefresher: Sendable {
    let providers: ProviderRegistry
    let store: any SessionStore
    let environment: IdentityEnvironment
    let configuration: SessionManager.Configuration
    let events: EventSource
    let revocation: TokenRevocation
    let lifetime: SessionLifetime
    let schedule: RefreshSchedule
    let pauses: RefreshPauses
    /// The states that could not be saved yet.
    let unsaved: UnsavedTokens
    let reportedAnswers = ReportedAnswers()
    private let claims: ObservedRefreshClaims
    private let limiters = Mutex<[String: RefreshLimiter]>([:])

    init(
        providers: ProviderRegistry,
        store: any SessionStore,
        environment: IdentityEnvironment,
        lifetime: SessionLifetime,
        schedule: RefreshSchedule,
        configuration: SessionManager.Configuration,
        events: EventSource,
        revocation: TokenRevocation
    ) {
        self.providers = providers
        self.store = store
        self.environment = environment
        self.lifetime = lifetime
        self.schedule = schedule
        self.configuration = configuration
        self.events = events
        self.revocation = revocation
        pauses = RefreshPauses(in: environment)
        unsaved = UnsavedTokens(store, events)
        claims = ObservedRefreshClaims(environment.clock, longestStep: configuration.repairInterval)
    }

    /// Refreshes a session, or adopts the tokens that another process has got for it.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - goal: The purpose of the refresh. A refresh of another process that reaches it is sufficient.
    ///   - limit: How long to wait for another process. A caller that needs new tokens waits longer if another process may still
    ///     save some.
    /// - Returns: The session with its current tokens.
    /// - Throws: ``IdentityError`` when there are no new tokens, for example because the session has ended or the provider failed.
    func refresh(_ id: SessionID, for goal: RefreshGoal, waitingUpTo limit: Duration) async throws -> RefreshedSession {
        let started = environment.clock.elapsed
        var deadline = started + limit
        var conflicts = 0
        while true {
            let (outcome, attempt) = try await refreshUnderLock(id, for: goal, since: started, until: deadline)
            switch outcome {
            case .refreshed(let tokens, let isRecovered):
                claims.forget(id)
                let session = Session(try attempt.row(), .active(tokens))
                return RefreshedSession(session, tokens, attempt.outcome, isRecovered: isRecovered)
            case .adopted(let state, let tokens):
                claims.forget(id)
                return RefreshedSession(Session(try attempt.row(), state), tokens, .waited, isRecovered: false)
            case .changed:
                conflicts += 1
                guard environment.clock.elapsed < deadline else { throw IdentityError.refreshTakesLong }
                try await environment.clock.sleep(for: .milliseconds(min(20 * conflicts, 250)))
            case .wait:
                let claimed = try attempt.row()
                if case .replacing = goal { deadline = started + limit + claimWait(claimed) * 2 }
                try await waitForAnswer(to: claimed, until: deadline)
            case .refused(let error), .failed(let error): throw error
            }
        }
    }

    /// Takes the session's lock and runs the state machine until the tokens that it returns are usable.
    private func refreshUnderLock(
        _ id: SessionID,
        for goal: RefreshGoal,
        since started: Duration,
        until deadline: Duration
    ) async throws -> (RefreshStateMachine.Outcome, RefreshAttempt) {
        let asked = environment.clock.elapsed
        return try await store.withSessionLock(id, waitingUpTo: max(deadline - asked, .zero)) { [self] lock in
            if environment.clock.elapsed - asked > .milliseconds(10) {
                events.emit(.lockWaited, provider: "", session: id, since: asked)
            }
            // Another process that gets the lock concludes that this process has crashed. It must not get the lock while only this
            // process has the newest tokens.
            defer { if warning(for: id) != nil { lock.keepAfterBody() } }
            var goal = goal
            while true {
                let (outcome, attempt) = await runStateMachine(id, for: goal, under: lock, since: started)
                // The tokens expired before they could be saved. Now they are saved, so they can be refreshed.
                guard case .refreshed(let tokens, isRecovered: true) = outcome, case .replacing = goal,
                    schedule.hasExpired(tokens, of: id), unsaved[id] == nil
                else { return (outcome, attempt) }
                goal = .replacing(tokens)
            }
        }
    }

    /// Performs the actions of a state machine until it finishes, and reports its outcome.
    private func runStateMachine(
        _ id: SessionID,
        for goal: RefreshGoal,
        under lock: HeldLock,
        since started: Duration
    ) async -> (RefreshStateMachine.Outcome, RefreshAttempt) {
        var machine = RefreshStateMachine(goal, provesPreviousHolderGone: lock.provesPreviousHolderGone)
        var attempt = RefreshAttempt(id, under: lock, since: started)
        var action = machine.handle(.began)
        while true {
            if case .finish(let outcome) = action {
                leaveLimiter(attempt)
                report(outcome, attempt, wasInDoubt: machine.isInDoubt)
                return (outcome, attempt)
            }
            action = machine.handle(await perform(action, &attempt))
        }
    }

    // MARK: Unsaved states

    /// The sessions whose newest tokens are not in the store.
    var unsavedSessions: Set<SessionID> { unsaved.sessions }

    /// The sessions whose newest tokens exist in this process's memory only.
    var sessionsNotDurable: Set<SessionID> { unsaved.sessionsNotDurable }

    /// Whether a session's newest tokens are not in the store.
    func hasUnsaved(_ id: SessionID) -> Bool { unsaved[id] != nil }

    /// The answer that replaces a session's tokens and was not accepted yet, in this process's memory or in the store.
    func pendingAnswer(to tokens: TokenSet, of id: SessionID, _ state: SessionState) -> RefreshAnswer? {
        var newest = state
        if let entry = unsaved[id], entry.replaces(tokens) { newest = entry.state }
        guard case .answered(_, let answer) = newest else { return nil }
        return answer
    }

    /// The tokens for callers while the store can be neither read nor locked.
    func unsavedTokens(of id: SessionID) -> (session: StoredSession, tokens: TokenSet)? {
        guard let entry = unsaved[id], case .active(let tokens) = entry.state, !schedule.hasExpired(tokens, of: id)
        else { return nil }
        return (entry.session, tokens)
    }

    /// The warning for a caller that gets a session's tokens; nil if the newest tokens are stored durably.
    func warning(for id: SessionID) -> IdentityError? {
        guard let entry = unsaved[id], !entry.isDurable else { return nil }
        return .tokensNotDurable
    }

    // MARK: Claims of other processes

    /// Whether this process has to wait longer before it replaces a claim of another process.
    func isFresh(_ claimed: StoredSession) -> Bool { claims.observe(claimed) < claimWait(claimed) }

    /// How long this process waits before it replaces a claim whose holder may still run.
    ///
    /// The holder may have to complete its request, and to save the answer, immediately or with its next repair.
    private func claimWait(_ claimed: StoredSession) -> Duration {
        if let wait = configuration.claimWait { return wait }
        let timeout = (try? providers.provider(named: claimed.provider))?.descriptor.timeout
        return (timeout ?? .seconds(15)) + Self.savingLimit + configuration.repairInterval
    }

    /// Waits until the row has changed, or until the claim may be replaced.
    ///
    /// It does not hold the lock meanwhile, because the other process needs the lock to save its answer.
    private func waitForAnswer(to claimed: StoredSession, until deadline: Duration) async throws {
        while true {
            guard environment.clock.elapsed < deadline else { throw IdentityError.refreshTakesLong }
            try await environment.clock.sleep(for: .milliseconds(250))
            // Time during which the store cannot be read does not count.
            guard let found = try? await store.session(claimed.id) as StoredSession?? else { continue }
            guard found?.generation == claimed.generation, isFresh(claimed) else { return }
        }
    }

    // MARK: The provider's limits

    /// Whether an early refresh would fail, so that it is not started.
    func holdsBackEarly(_ id: SessionID, of provider: String) -> Bool {
        pauses.holdsBackEarly(id) || limiter(of: provider).isOpen
    }

    /// Records the failure of a refresh in the background.
    func failedEarly(_ id: SessionID, with error: IdentityError) { pauses.failedEarly(id, with: error) }

    /// The error of the last failed refresh, while it delays the next one in the background.
    func earlyFailure(_ id: SessionID) -> IdentityError? { pauses.earlyFailure(id) }

    func limiter(of provider: String) -> RefreshLimiter {
        limiters.withLock { limiters in
            if let limiter = limiters[provider] { return limiter }
            let limiter = RefreshLimiter(configuration.refreshLimits, in: environment)
            limiters[provider] = limiter
            return limiter
        }
    }

    private func leaveLimiter(_ attempt: RefreshAttempt) {
        guard let permit = attempt.permit, let provider = attempt.stored?.provider else { return }
        if let change = limiter(of: provider).leave(permit, after: attempt.observation) {
            events.emit(.breaker(change), provider: provider)
        }
    }

    // MARK: Reports

    private func report(_ outcome: RefreshStateMachine.Outcome, _ attempt: RefreshAttempt, wasInDoubt: Bool) {
        switch outcome {
        case .changed, .wait: break
        case .adopted: if attempt.permit != nil { pauses.succeeded(attempt.id) }
        case .refreshed(_, let isRecovered):
            if !isRecovered { pauses.succeeded(attempt.id) }
            // While the tokens cannot be saved, nothing has changed since the refresh was reported.
            guard !isRecovered || unsaved[attempt.id] == nil else { return }
            if isRecovered || wasInDoubt { emit(.refreshRepaired, attempt) }
            emit(.refreshed(attempt.outcome), attempt)
        case .refused(let error):
            pauses.failed(attempt.id, with: error)
            reportFailure(error, attempt)
        case .failed(let error): reportFailure(error, attempt)
        }
    }

    private func reportFailure(_ error: IdentityError, _ attempt: RefreshAttempt) {
        guard attempt.hasBegun, !attempt.hasReportedVerdict else { return }
        emit(.refreshFailed(error.code), attempt, because: error)
    }

    func emit(_ event: IdentityEvent.Kind, _ attempt: RefreshAttempt, because error: IdentityError? = nil) {
        guard let provider = attempt.stored?.provider else { return }
        events.emit(event, provider: provider, session: attempt.id, since: attempt.started, because: error)
    }
}
