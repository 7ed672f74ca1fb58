internal import FoundationEssentials

/// Refreshes sessions; all callers of this process share one refresh of a session.
///
/// The session's lock lets only one process at a time refresh the session. A refresh consists of one or more runs under the lock
/// (``RefreshRun``). ``SessionTokensReader`` and ``RefreshSchedule`` decide whether a refresh is due.
struct TokenRefresher: SessionService {
    let context: SessionContext

    var memory: RefreshMemory { context.refreshMemory }
    var flights: SingleFlight<SessionID, SessionTokens> { memory.flights }
    var pauses: SessionRefreshPauses { memory.pauses }

    // MARK: One refresh for all callers of this process

    /// Refreshes a session, or joins the refresh of the session that already runs in this process.
    ///
    /// If a joined refresh returns tokens that do not reach the goal, another refresh follows. `limit` is the time to wait for another
    /// process, as in ``refreshUnderLock(_:for:waitingUpTo:)``; nil for ``SessionManager/Configuration/lockWait``.
    func refresh(
        _ id: SessionID,
        for goal: RefreshGoal,
        waitingUpTo limit: Duration? = nil
    ) async throws -> SessionTokens {
        let begun = clock.elapsed
        let limit = limit ?? configuration.lockWait
        var goal = goal
        while true {
            let remaining = max(limit - (clock.elapsed - begun), .zero)
            let (result, started) = await flights.run(id) { [self, goal] in
                try await refreshUnderLock(id, for: goal, waitingUpTo: remaining)
            }
            var found: SessionTokens
            do {
                found = try result.get()
                if !started { found.outcome = .waited }
            } catch let ended as RefreshWaitEnded {
                // The joined refresh may have a shorter limit than this caller, for example a repair with the limit zero.
                guard !started, ended.limit < limit, clock.elapsed - begun < limit else { throw ended.error }
                continue
            } catch {
                throw IdentityError.wrapping(error)
            }
            guard case .replacing = goal else { return found }
            let hasExpired = schedule.hasExpired(found.tokens, of: id)
            if hasExpired, unsaved[id] != nil {
                throw IdentityError.unsaved(
                    "The session's access token expired before the store could save it.",
                    unsaved.warning(for: id)
                )
            }
            // The refresh that this caller joined may have ended long ago, so its tokens may have expired since. Tokens that a refresh of
            // this process returned less than 30 seconds ago count as new even then.
            let isNew = !hasExpired || schedule.isJustRefreshed(found.tokens, of: id)
            if found.outcome != .waited || isNew && goal.isReached(by: found.tokens) { return found }
            goal = .replacing(found.tokens)
            guard clock.elapsed - begun < limit else { throw IdentityError.refreshTakesLong }
        }
    }

    func startRepair(_ id: SessionID) {
        flights.start(id) { [self] in
            try await refreshUnderLock(id, for: .repairing, waitingUpTo: configuration.lockWait)
        }
    }

    /// Starts a background refresh while the old tokens are still valid, unless a pause or the provider's limiter would delay it.
    ///
    /// Returns the error of the last failed refresh if the pause after this failure prevents the start; otherwise nil.
    func startEarly(_ stored: StoredSession, replacing tokens: TokenSet) -> IdentityError? {
        let id = stored.id
        let failure = pauses.earlyFailure(id)
        guard failure == nil, !memory.limiter(of: stored.provider).delays else { return failure }
        flights.start(id) { [self] in
            do {
                return try await refreshUnderLock(id, for: .replacing(tokens), waitingUpTo: configuration.lockWait)
            } catch {
                pauses.failedEarly(id, with: (error as? RefreshWaitEnded)?.error ?? .wrapping(error))
                throw error
            }
        }
        return nil
    }

    // MARK: The runs of a refresh

    /// Refreshes a session, or adopts the tokens that another process has received for it.
    ///
    /// `limit` is the time to wait for another process. A caller that needs new tokens waits longer if another process may still save its
    /// response. When the time has passed, ``RefreshWaitEnded`` is thrown.
    func refreshUnderLock(
        _ id: SessionID,
        for goal: RefreshGoal,
        waitingUpTo limit: Duration
    ) async throws -> SessionTokens {
        defer { cache?.remove(id) }
        let started = clock.elapsed
        let wasUnsaved = unsaved[id] != nil
        let tokensInMemory = unsaved.tokens(of: id)?.tokens
        var deadline = started + limit
        var conflicts = 0
        var nextGoal = goal
        while true {
            let (outcome, run): (RefreshOutcome, RefreshRun)
            let beganWaiting = clock.elapsed
            let longestWait = max(deadline - beganWaiting, .zero)
            do {
                (outcome, run) = try await store.withLock(.session(id), waitingUpTo: longestWait) {
                    [nextGoal] lock in
                    let machine = RefreshStateMachine(
                        nextGoal,
                        provesPreviousHolderGone: lock.provesPreviousHolderGone
                    )
                    var run = RefreshRun(context: context, id: id, lock: lock, started: started, machine: machine)
                    return (await run.run(afterWait: clock.elapsed - beganWaiting), run)
                }
            } catch let error as IdentityError where error.code == .refreshBusy {
                // Only the wait for the lock throws this code. A run returns its errors as an outcome.
                throw RefreshWaitEnded(limit: limit, error: error)
            }
            switch outcome {
            case .refreshed(let tokens, isFromEarlierRefresh: true)
            where goal.oldTokens != nil && schedule.hasExpired(tokens, of: id) && unsaved[id] == nil:
                // The tokens expired before they could be saved. Now they are saved, so they can be refreshed.
                nextGoal = .replacing(tokens)
            case .refreshed(let tokens, let isFromEarlierRefresh):
                memory.claims.forget(id)
                let session = Session(try run.storedSession(), .active(tokens))
                let losses = (goal.oldTokens ?? run.old).flatMap { TokenLosses(from: $0, to: tokens) }
                // Until new tokens are saved, each call finds them in memory again, but their losses are reported once only.
                if let losses, !(tokensInMemory?.isSameIssue(as: tokens) ?? false) {
                    events.emit(.tokensReduced(losses), provider: session.provider, session: id)
                }
                // The participants are told when the tokens are new, and again when the tokens are saved, because a participant may not be
                // able to save its own changes while the store is down.
                if !wasUnsaved || unsaved[id] == nil { participants.notifyRefreshed(session) }
                let content = SessionTokens.Content(
                    session: session,
                    tokens: tokens,
                    warning: unsaved.warning(for: id),
                    losses: losses,
                    isFromEarlierRefresh: isFromEarlierRefresh
                )
                return SessionTokens(content, outcome: run.tokenOutcome ?? .refreshedEarly)
            case .alreadyRefreshed(let state, let tokens):
                memory.claims.forget(id)
                let session = Session(try run.storedSession(), state)
                let warning = unsaved.warning(for: id)
                return SessionTokens(.init(session: session, tokens: tokens, warning: warning), outcome: .waited)
            case .startAgain:
                conflicts += 1
                guard clock.elapsed < deadline else { throw RefreshWaitEnded(limit: limit, error: .refreshTakesLong) }
                try await clock.sleep(for: .milliseconds(min(20 * conflicts, 250)))
            case .wait:
                let claimed = try run.storedSession()
                // This call may wait two `claimWait` longer: one for the other process's refresh, then one for its own refresh.
                if case .replacing = goal { deadline = started + limit + claimWait(claimed) * 2 }
                guard try await waitForResponse(to: claimed, until: deadline) else {
                    throw RefreshWaitEnded(limit: limit, error: .refreshTakesLong)
                }
            case .failed(let error, _):
                if error.kind == .signInAgain, let stored = run.stored { participants.notifyNeedsLogin(of: stored) }
                throw error
            }
        }
    }

    // MARK: Unfinished refreshes of other processes

    /// Records that the store still contains another process's claim; returns whether this process must still wait for the response.
    func mustWait(forHolderOf claimed: StoredSession) -> Bool { memory.claims.observe(claimed) < claimWait(claimed) }

    /// How long this process waits until another process saves the response to its refresh; then this process sends the refresh token.
    ///
    /// In this time, the other process can complete its request, and save the response at once or with its next repair.
    private func claimWait(_ claimed: StoredSession) -> Duration {
        if let wait = configuration.claimWait { return wait }
        let timeout = (try? provider(of: claimed))?.descriptor.timeout
        return (timeout ?? .seconds(15)) + RefreshRun.savingLimit + configuration.repairInterval
    }

    /// Waits until another process has changed or removed the session, or until this process may take over the refresh.
    ///
    /// The task does not hold the lock, because the other process may need it to save its response. Returns false at the deadline.
    private func waitForResponse(to claimed: StoredSession, until deadline: Duration) async throws -> Bool {
        while true {
            guard clock.elapsed < deadline else { return false }
            try await clock.sleep(for: .milliseconds(250))
            // A failed read of the store observes nothing. So an outage of the store adds at most one repair interval to the observed time
            // (``ObservedRefreshClaims``).
            guard let found = try? await store.session(claimed.id) as StoredSession?? else { continue }
            guard found?.generation == claimed.generation, mustWait(forHolderOf: claimed) else { return true }
        }
    }
}

/// The error of a refresh whose own time limit has passed while it waited for another process.
///
/// A caller that joined the refresh with a longer limit tries again. Other errors with the code `refresh_busy` are thrown to all callers
/// that joined.
struct RefreshWaitEnded: Error {
    let limit: Duration
    let error: IdentityError
}
