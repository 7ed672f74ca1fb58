internal import FoundationEssentials

extension RefreshRun {
    /// The time limit for repeated attempts to save new tokens.
    static let savingLimit = Duration.seconds(5)

    mutating func perform(_ action: RefreshStateMachine.Action) async -> RefreshStateMachine.Event {
        switch action {
        case .load: return await load()
        case .findUnsaved(let storedResponseHasNoTokens): return await findUnsaved(storedResponseHasNoTokens)
        case .checkClaimWait:
            return .claimWaitChecked(mustWait: stored.map(refresher.mustWait(forHolderOf:)) ?? false)
        case .prepare: return await prepare()
        case .save(let state, let purpose, let requiresLock):
            guard !requiresLock || lock.isHeld else { return .lockLost }
            return await save(state, purpose)
        case .send: return await send()
        case .validate(let response): return await validate(response)
        case .reportLoginMismatch(let error, let response): reportLoginMismatch(error, of: response)
        case .spool(let state, let isReported): await spool(state, reports: isReported)
        case .removeUnsaved: await unsaved.forget(id)
        case .revokeUnsaved: await refresher.revokeUnsaved(id)
        case .revoke(let tokens):
            if let stored { _ = await revocation.revoke(tokens, of: Session(stored, .active(tokens))) }
        case .finish: break
        }
        return .done
    }

    // MARK: The store

    private mutating func load() async -> RefreshStateMachine.Event {
        do {
            // If the session expires during a refresh, the refresh continues. So only the first load checks the expiry.
            guard let found = try await store.session(id),
                stored != nil || !visible.lifetime.hasExpired(found)
            else { return .loaded(nil, isRestored: false, isUnchanged: false) }
            let state = try SessionState(found)
            let isUnchanged = found.generation == stored?.generation
            stored = found
            ownGeneration = ownGeneration ?? found.generation
            return .loaded(state, isRestored: found.isRestored, isUnchanged: isUnchanged)
        } catch {
            return .notLoaded(.wrapping(error))
        }
    }

    private func findUnsaved(_ storedResponseHasNoTokens: Bool) async -> RefreshStateMachine.Event {
        guard let stored, let old else { return .found(nil) }
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

    private mutating func save(
        _ state: SessionState,
        _ purpose: RefreshStateMachine.Purpose
    ) async -> RefreshStateMachine.Event {
        guard let base = stored else { return .conflicted }
        let started = clock.elapsed
        let next = successor(of: base, state, purpose)
        if case .tokens(let source) = purpose { recordOutcome(state, source) }
        do {
            let isSaved =
                if let attempts = purpose.attemptsBeforeReport {
                    try await replace(next, over: base, attempts: attempts)
                } else {
                    try await store.replace(next, expecting: base.generation)
                }
            guard isSaved else { return .conflicted }
        } catch {
            let error = IdentityError.wrapping(error)
            if purpose.attemptsBeforeReport != nil {
                events.emit(.storeFailed(error.code), provider: base.provider, session: base.id, since: started)
            }
            return .notSaved(error)
        }
        (stored, ownGeneration) = (next, next.generation)
        if case .ended(let reason, _) = state {
            events.emit(.sessionEnded(reason), provider: base.provider, session: base.id)
        }
        return .saved
    }

    /// Records whether the old tokens had expired, and that a refresh has just returned the new tokens.
    ///
    /// Callers can get the new tokens even if the save fails, so the call comes before the save.
    private mutating func recordOutcome(_ state: SessionState, _ source: RefreshStateMachine.Source) {
        guard let new = state.tokens, let old, tokenOutcome == nil else { return }
        tokenOutcome = schedule.hasExpired(old, of: id) ? .refreshedLate : .refreshedEarly
        // Tokens from an earlier refresh were received some time ago, so they do not count as just refreshed.
        if !source.isFromEarlierRefresh { schedule.noteRefreshed(new, of: id) }
    }

    /// Saves a session; if the store fails, tries again until it has tried `attempts` times or ``savingLimit`` has passed.
    private func replace(_ session: StoredSession, over base: StoredSession, attempts: Int) async throws -> Bool {
        let deadline = clock.elapsed + Self.savingLimit
        var attempt = 0
        while true {
            do {
                return try await store.replace(session, expecting: base.generation)
            } catch {
                // The save may have succeeded although the store threw an error. The session in the store shows whether it did.
                if let current = try? await store.session(session.id),
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

    private func spool(_ state: SessionState, reports: Bool) async {
        guard let base = stored, let ownGeneration, let old else { return }
        var isResponseStored = false
        if base.generation == ownGeneration, case .responded? = try? SessionState(base) { isResponseStored = true }
        var session = successor(of: base, state, .tokens(.unsaved))
        // A save of another process may contain a newer response, so this state must not get a later generation than that save.
        session.generation = ownGeneration + 1
        await unsaved.keep(session, state, replacing: old, isResponseStored: isResponseStored, reports: reports)
    }

    // MARK: The provider

    private mutating func prepare() async -> RefreshStateMachine.Event {
        do {
            let stored = try storedSession()
            let provider = try provider(of: stored)
            try checkLockTime(of: provider)
            if let refusal = memory.pauses.error(delaying: id) { return .notPrepared(refusal) }
            permit = try await memory.limiter(of: stored.provider).enter()
            if let journaling = provider as? any JournaledRefreshing, let old {
                do {
                    try await journaling.prepareRefresh(of: old)
                } catch {
                    let error = IdentityError.wrapping(error)
                    observation = .failed(error, id, isThrottled: false)
                    memory.pauses.failed(id, with: error)
                    throw error
                }
            }
            return .prepared(RefreshClaim(correlationID: Correlation.current ?? "", startedAt: clock.now))
        } catch {
            return .notPrepared(.wrapping(error))
        }
    }

    private mutating func send() async -> RefreshStateMachine.Event {
        guard let old, let stored, let provider = try? provider(of: stored) else {
            return .refused(RefreshRefusal(.transient, .unexpectedRefreshEvent))
        }
        // The lock must last for the provider's whole timeout. If the lock ended earlier, its next holder could send the same refresh
        // token. A shorter timeout is no solution, because a request that is aborted early may leave the session in doubt.
        let needed = provider.descriptor.timeout ?? .milliseconds(1)
        guard lock.remaining.map({ $0 >= needed }) ?? true else { return .lockLost }
        do {
            guard let journaling = provider as? any JournaledRefreshing else {
                let tokens = try await provider.refresh(old)
                observation = .responded
                return .validated(tokens)
            }
            return .responded(try await journaling.requestRefresh(of: old, under: lock))
        } catch {
            return refused(RefreshRefusal(error))
        }
    }

    private mutating func refused(_ refusal: RefreshRefusal) -> RefreshStateMachine.Event {
        if refusal.concernsProvider {
            observation = .failed(refusal.error, id, isThrottled: refusal.kind == .throttled)
        } else {
            observation = refusal.kind == .transient ? .nothing : .responded
        }
        if refusal.kind == .inDoubt, let provider = stored?.provider {
            events.emit(.refreshInDoubt, provider: provider, session: id)
        }
        return .refused(refusal)
    }

    private mutating func validate(_ response: RefreshResponse) async -> RefreshStateMachine.Event {
        guard let old, let stored else { return .validationFailed(.unknownSession) }
        do {
            let tokens = try await provider(of: stored).validated(response, of: old)
            if isPermitted { observation = .responded }
            return .validated(tokens)
        } catch let refusal as RefreshRefusal {
            return isPermitted ? refused(refusal) : .refused(refusal)
        } catch {
            let error = IdentityError.wrapping(error)
            if isPermitted { observation = .responded }
            // Each repair validates the response again, but the error is reported once. If this run has a permit, `RefreshRun.report`
            // reports the error, and `isFirstReport` only records it. `reportLoginMismatch` reports a response of another login.
            if !error.isAttackSuspected, response.loginMismatch == nil,
                memory.isFirstReport(of: error.code, in: response, for: id), !isPermitted
            {
                events.emit(.refreshFailed(error.code), provider: stored.provider, session: id)
            }
            return .validationFailed(error)
        }
    }

    private mutating func reportLoginMismatch(_ error: IdentityError, of response: RefreshResponse) {
        hasReportedLoginMismatch = true
        guard stored != nil, memory.isFirstReport(of: error.code, in: response, for: id) else { return }
        emit(.refreshFailed(error.code), because: error)
    }
}

extension IdentityProvider {
    /// Throws ``RefreshRefusal`` if the response contains no token; any other error means that the response may contain tokens.
    func validated(_ response: RefreshResponse, of old: TokenSet) async throws -> TokenSet {
        guard let journaling = self as? any JournaledRefreshing else {
            throw IdentityError.unreadableResponse(of: descriptor.name)
        }
        do {
            return try await journaling.tokens(from: response, refreshing: old)
        } catch let refusal as RefreshRefusal {
            throw refusal
        } catch {
            throw IdentityError.wrapping(error).withKeptResponse
        }
    }
}
