internal import FoundationEssentials

extension TokenRefresher {
    /// After this time, a failed save of new tokens is not repeated.
    static let savingLimit = Duration.seconds(5)

    /// Performs an action of the state machine.
    ///
    /// - Returns: The event that follows from the action.
    func perform(
        _ action: RefreshStateMachine.Action,
        _ attempt: inout RefreshAttempt
    ) async
        -> RefreshStateMachine.Event
    {
        switch action {
        case .load: return await load(&attempt)
        case .findUnsaved(let storedResponseHasNoTokens): return await findUnsaved(attempt, storedResponseHasNoTokens)
        case .checkClaimWait: return .claimWaitChecked(mustWait: attempt.stored.map(mustWait(forHolderOf:)) ?? false)
        case .prepare: return await prepare(&attempt)
        case .save(let state, let purpose, let requiresLock):
            guard !requiresLock || attempt.lock.isHeld else { return .lockLost }
            return await save(state, purpose, &attempt)
        case .send: return await send(&attempt)
        case .validate(let response): return await validate(response, &attempt)
        case .reportLoginMismatch(let error, let response): reportLoginMismatch(error, of: response, &attempt)
        case .spool(let state, let tokens, let isReported):
            await spool(state, replacing: tokens, attempt, reports: isReported)
        case .removeUnsaved: await unsaved.forget(attempt.id)
        case .revokeUnsaved: await revokeUnsaved(attempt.id)
        case .revoke(let tokens):
            if let stored = attempt.stored { _ = await revocation.revoke(tokens, of: Session(stored, .active(tokens))) }
        case .finish: break
        }
        return .done
    }

    // MARK: The store

    private func load(_ attempt: inout RefreshAttempt) async -> RefreshStateMachine.Event {
        do {
            // A refresh that has begun is finished even if the session expires meanwhile.
            guard let stored = try await visible.store.session(attempt.id),
                attempt.stored != nil || !visible.lifetime.hasExpired(stored)
            else { return .loaded(nil, isRestored: false, isUnchanged: false) }
            let state = try SessionState(stored)
            let isUnchanged = stored.generation == attempt.stored?.generation
            attempt.stored = stored
            attempt.ownGeneration = attempt.ownGeneration ?? stored.generation
            if attempt.old == nil { attempt.old = state.tokens }
            return .loaded(state, isRestored: stored.isRestored, isUnchanged: isUnchanged)
        } catch {
            return .notLoaded(.wrapping(error))
        }
    }

    private func findUnsaved(
        _ attempt: RefreshAttempt,
        _ storedResponseHasNoTokens: Bool
    ) async -> RefreshStateMachine.Event {
        guard let stored = attempt.stored, let old = attempt.old else { return .found(nil) }
        do {
            return .found(
                try await unsaved.find(
                    for: stored,
                    replacing: old,
                    storedResponseHasNoTokens: storedResponseHasNoTokens
                )
            )
        } catch {
            return .notLoaded(.wrapping(error))
        }
    }

    private func save(
        _ state: SessionState,
        _ purpose: RefreshStateMachine.Purpose,
        _ attempt: inout RefreshAttempt
    ) async -> RefreshStateMachine.Event {
        guard let base = attempt.stored else { return .conflicted }
        let started = clock.elapsed
        let next = successor(of: base, state, purpose)
        if case .tokens(let source) = purpose { recordOutcome(state, source, &attempt) }
        do {
            let isSaved =
                if let attempts = purpose.attemptsBeforeReport {
                    try await replace(next, over: base, attempts: attempts)
                } else {
                    try await visible.store.replace(next, expecting: base.generation)
                }
            guard isSaved else { return .conflicted }
        } catch {
            let error = IdentityError.wrapping(error)
            if purpose.attemptsBeforeReport != nil {
                events.emit(.storeFailed(error.code), provider: base.provider, session: base.id, since: started)
            }
            return .notSaved(error)
        }
        (attempt.stored, attempt.ownGeneration) = (next, next.generation)
        if case .ended(let reason, _) = state {
            events.emit(.sessionEnded(reason), provider: base.provider, session: base.id)
        }
        return .saved
    }

    /// Records whether the old tokens had expired, and that a refresh has just returned the new tokens.
    ///
    /// This is recorded before the save, because callers get the new tokens even if the save fails.
    private func recordOutcome(
        _ state: SessionState,
        _ source: RefreshStateMachine.Source,
        _ attempt: inout RefreshAttempt
    ) {
        guard let new = state.tokens, let old = attempt.old, !attempt.isOutcomeRecorded else { return }
        attempt.isOutcomeRecorded = true
        attempt.outcome = schedule.hasExpired(old, of: attempt.id) ? .refreshedLate : .refreshedEarly
        // Tokens from an earlier attempt were received some time ago, so they do not count as just refreshed.
        if !source.isFromEarlierAttempt { schedule.noteRefreshed(new, of: attempt.id) }
    }

    /// Saves a session; if the store fails, tries again until it has tried `attempts` times or ``savingLimit`` has passed.
    ///
    /// - Returns: Whether the session is saved; false if it has another generation or was removed.
    private func replace(_ session: StoredSession, over base: StoredSession, attempts: Int) async throws -> Bool {
        let deadline = clock.elapsed + Self.savingLimit
        var attempt = 0
        while true {
            do {
                return try await visible.store.replace(session, expecting: base.generation)
            } catch {
                // The save may have succeeded although the store threw an error. The session in the store shows whether it did.
                if let current = try? await visible.store.session(session.id),
                    current.payload.isEqual(to: session.payload)
                {
                    return true
                }
                attempt += 1
                guard attempt < attempts, clock.elapsed < deadline else { throw error }
                try? await clock.sleep(for: .milliseconds(50 << attempt))
            }
        }
    }

    private func successor(
        of base: StoredSession,
        _ state: SessionState,
        _ purpose: RefreshStateMachine.Purpose
    ) -> StoredSession {
        var session = base
        session.generation += 1
        session.isInDoubt = state.isInDoubt
        session.payload = state.payload()
        guard case .tokens = purpose else { return session }
        session.providerSessionID = state.tokens?.providerSessionID
        session.retainedUntil = visible.lifetime.end(ofSessionSince: base.createdAt, keptUntil: base.retainedUntil)
        session.isRestored = false
        return session
    }

    private func spool(
        _ state: SessionState,
        replacing tokens: TokenSet,
        _ attempt: RefreshAttempt,
        reports: Bool
    ) async {
        guard let base = attempt.stored, let ownGeneration = attempt.ownGeneration else { return }
        var isResponseStored = false
        if base.generation == ownGeneration, case .responded? = try? SessionState(base) { isResponseStored = true }
        var session = successor(of: base, state, .tokens(.unsaved))
        // A session that another process has saved since this attempt loaded or saved it may contain a newer response. It has at least
        // this generation, so it does not seem older than this state.
        session.generation = ownGeneration + 1
        await unsaved.keep(session, state, replacing: tokens, isResponseStored: isResponseStored, reports: reports)
    }

    // MARK: The provider

    private func prepare(_ attempt: inout RefreshAttempt) async -> RefreshStateMachine.Event {
        do {
            let stored = try attempt.storedSession()
            let provider = try provider(of: stored)
            try lockTimeCheck.run(provider)
            attempt.provider = provider
            if let refusal = pauses.error(delaying: attempt.id) { return .notPrepared(refusal) }
            attempt.permit = try await memory.limiter(of: stored.provider).enter()
            if let journaling = provider as? any JournaledRefreshing, let old = attempt.old {
                do {
                    try await journaling.prepareRefresh(of: old)
                } catch {
                    let error = IdentityError.wrapping(error)
                    attempt.observation = .failed(error, attempt.id, isThrottled: false)
                    pauses.failed(attempt.id, with: error)
                    throw error
                }
            }
            let correlationID = Correlation.current ?? ""
            return .prepared(RefreshClaim(correlationID: correlationID, startedAt: clock.now))
        } catch {
            return .notPrepared(.wrapping(error))
        }
    }

    private func send(_ attempt: inout RefreshAttempt) async -> RefreshStateMachine.Event {
        guard let provider = attempt.provider, let old = attempt.old else {
            return .refused(RefreshRefusal(.transient, .unexpectedRefreshEvent))
        }
        // If the lock ended during the request, its next holder could send the same refresh token. A shorter timeout is no solution:
        // a request that is aborted early may leave the session in doubt. So the lock must last for the provider's whole timeout.
        let needed = provider.descriptor.timeout ?? .milliseconds(1)
        guard attempt.lock.remaining.map({ $0 >= needed }) ?? true else { return .lockLost }
        do {
            guard let journaling = provider as? any JournaledRefreshing else {
                let tokens = try await provider.refresh(old)
                attempt.observation = .responded
                return .validated(tokens)
            }
            return .responded(try await journaling.requestRefresh(of: old, under: attempt.lock))
        } catch {
            return refused(RefreshRefusal(error), &attempt)
        }
    }

    private func refused(_ refusal: RefreshRefusal, _ attempt: inout RefreshAttempt) -> RefreshStateMachine.Event {
        if refusal.concernsProvider {
            attempt.observation = .failed(refusal.error, attempt.id, isThrottled: refusal.kind == .throttled)
        } else {
            attempt.observation = refusal.kind == .transient ? .nothing : .responded
        }
        if refusal.kind == .inDoubt, let provider = attempt.stored?.provider {
            events.emit(.refreshInDoubt, provider: provider, session: attempt.id)
        }
        return .refused(refusal)
    }

    private func validate(
        _ response: RefreshResponse,
        _ attempt: inout RefreshAttempt
    ) async -> RefreshStateMachine.Event {
        guard let old = attempt.old, let stored = attempt.stored else { return .validationFailed(.unknownSession) }
        do {
            let provider = try attempt.provider ?? provider(of: stored)
            let tokens = try await provider.validated(response, of: old)
            if attempt.isPermitted { attempt.observation = .responded }
            return .validated(tokens)
        } catch let refusal as RefreshRefusal {
            return attempt.isPermitted ? refused(refusal, &attempt) : .refused(refusal)
        } catch {
            let error = IdentityError.wrapping(error)
            if attempt.isPermitted { attempt.observation = .responded }
            // This process reports the error once for each response, not at each repair. If the limiter gave the attempt a permit, the end
            // of the attempt reports the error. `reportLoginMismatch` reports a response that belongs to another login.
            if !error.isAttackSuspected, response.loginMismatch == nil,
                memory.isFirstReport(of: error.code, in: response, for: attempt.id), !attempt.isPermitted
            {
                events.emit(.refreshFailed(error.code), provider: stored.provider, session: attempt.id)
            }
            return .validationFailed(error)
        }
    }

    /// Reports to the observers that a response belongs to another login, once in this process, even if the error code cannot be saved.
    private func reportLoginMismatch(
        _ error: IdentityError,
        of response: RefreshResponse,
        _ attempt: inout RefreshAttempt
    ) {
        attempt.hasReportedLoginMismatch = true
        guard attempt.stored != nil, memory.isFirstReport(of: error.code, in: response, for: attempt.id) else {
            return
        }
        emit(.refreshFailed(error.code), attempt, because: error)
    }
}
