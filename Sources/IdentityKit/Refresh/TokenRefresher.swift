internal import FoundationEssentials

/// Refreshes sessions; the lock of a session lets one task, process or machine at a time refresh it.
///
/// ``RefreshStateMachine`` decides each step; this type holds the session's lock (`TokenRefresher+SessionLock.swift`), performs the steps
/// and reports them. All I/O of a refresh is here, and in ``UnsavedTokens`` for the spool. How the callers of one process share a refresh
/// is in `TokenRefresher+InProcessSharing.swift`. ``SessionTokensReader`` and ``RefreshSchedule`` decide whether a refresh is due.
struct TokenRefresher: SessionService {
    let context: SessionContext

    var memory: RefreshMemory { context.refreshMemory }
    var flights: SingleFlight<SessionID, SessionTokens> { memory.flights }
    var pauses: SessionRefreshPauses { memory.pauses }

    /// Refreshes a session, or adopts the tokens that another process has received for it.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - goal: The purpose of the refresh. A refresh of another process that reaches it is sufficient.
    ///   - limit: How long to wait for another process. A caller that needs new tokens waits longer if another process may still
    ///     save its response.
    /// - Returns: The current tokens of the session.
    /// - Throws: ``IdentityError`` when there are no new tokens, for example because the session has ended or the provider failed;
    ///   ``RefreshWaitEnded`` when the limit has passed.
    func run(_ id: SessionID, for goal: RefreshGoal, waitingUpTo limit: Duration) async throws -> SessionTokens {
        defer { cache?.remove(id) }
        let started = clock.elapsed
        let wasUnsaved = unsaved[id] != nil
        let tokensInMemory = unsaved.tokens(of: id)?.tokens
        var deadline = started + limit
        var conflicts = 0
        var nextGoal = goal
        while true {
            let (outcome, attempt): (RefreshOutcome, RefreshAttempt)
            do {
                (outcome, attempt) = try await runStateMachine(id, for: nextGoal, since: started, until: deadline)
            } catch let error as IdentityError where error.code == .refreshBusy {
                // Only the wait for the lock throws this code. The state machine returns its errors as an outcome.
                throw RefreshWaitEnded(limit: limit, error: error)
            }
            switch outcome {
            case .refreshed(let tokens, isFromEarlierAttempt: true)
            where goal.replaced != nil && schedule.hasExpired(tokens, of: id) && unsaved[id] == nil:
                // The tokens expired before they could be saved. Now they are saved, so they can be refreshed.
                nextGoal = .replacing(tokens)
            case .refreshed(let tokens, let isFromEarlierAttempt):
                memory.claims.forget(id)
                let session = Session(try attempt.storedSession(), .active(tokens))
                let losses = (goal.replaced ?? attempt.old).flatMap { TokenLosses(from: $0, to: tokens) }
                // Until new tokens are saved, each call finds them in memory again, but their losses are reported once only.
                if let losses, !(tokensInMemory?.isSameIssue(as: tokens) ?? false) {
                    events.emit(.tokensReduced(losses), provider: session.provider, session: id)
                }
                // The participants are told when the tokens are new, and again when they are saved: while the store is down, a participant
                // may not be able to save its own changes.
                if !wasUnsaved || unsaved[id] == nil { participants.notifyRefreshed(session) }
                return result(session, tokens, attempt.outcome, losses, isFromEarlierAttempt: isFromEarlierAttempt)
            case .alreadyRefreshed(let state, let tokens):
                memory.claims.forget(id)
                return result(Session(try attempt.storedSession(), state), tokens, .waited)
            case .startAgain:
                conflicts += 1
                guard clock.elapsed < deadline else { throw RefreshWaitEnded(limit: limit, error: .refreshTakesLong) }
                try await clock.sleep(for: .milliseconds(min(20 * conflicts, 250)))
            case .wait:
                let claimed = try attempt.storedSession()
                // One `claimWait` is for the wait until the other process saves its response, and one for this process's own refresh.
                if case .replacing = goal { deadline = started + limit + claimWait(claimed) * 2 }
                guard try await waitForResponse(to: claimed, until: deadline) else {
                    throw RefreshWaitEnded(limit: limit, error: .refreshTakesLong)
                }
            case .failed(let error, _):
                if error.kind == .signInAgain { participants.notifyNeedsLogin(of: id) }
                throw error
            }
        }
    }

    private func result(
        _ session: Session,
        _ tokens: TokenSet,
        _ outcome: TokenOutcome,
        _ losses: TokenLosses? = nil,
        isFromEarlierAttempt: Bool = false
    ) -> SessionTokens {
        SessionTokens(
            session: session,
            tokens: tokens,
            outcome: outcome,
            warning: unsaved.warning(for: session.id),
            losses: losses,
            isFromEarlierAttempt: isFromEarlierAttempt
        )
    }

    // MARK: Unfinished refreshes of other processes

    /// Records that the store contains a claim, and returns whether this process must wait longer before it takes over the refresh.
    func mustWait(forHolderOf claimed: StoredSession) -> Bool { memory.claims.observe(claimed) < claimWait(claimed) }

    /// How long this process waits before it takes over the unfinished refresh of a process that may still run.
    ///
    /// The other process may have to complete its request, and to save the response, immediately or with its next repair.
    private func claimWait(_ claimed: StoredSession) -> Duration {
        if let wait = configuration.claimWait { return wait }
        let timeout = (try? provider(of: claimed))?.descriptor.timeout
        return (timeout ?? .seconds(15)) + Self.savingLimit + configuration.repairInterval
    }

    /// Waits until another process has changed or removed the session, or until this process may take over the unfinished refresh.
    ///
    /// This process does not hold the lock while it waits, because the other process may need the lock to save its response.
    ///
    /// - Returns: False if the deadline has passed.
    private func waitForResponse(to claimed: StoredSession, until deadline: Duration) async throws -> Bool {
        while true {
            guard clock.elapsed < deadline else { return false }
            try await clock.sleep(for: .milliseconds(250))
            // While the store cannot be read, the claim is not observed: an outage adds at most one repair interval to the observed time.
            // The caller's deadline still applies.
            guard let found = try? await visible.store.session(claimed.id) as StoredSession?? else { continue }
            guard found?.generation == claimed.generation, mustWait(forHolderOf: claimed) else { return true }
        }
    }
}
