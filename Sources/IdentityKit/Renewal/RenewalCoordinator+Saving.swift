internal import FoundationEssentials
internal import Synchronization

/// How long a store that fails is asked again.
enum SavingPatience: Sendable {
    /// Once.
    case none
    /// For some seconds.
    case full

    var attempts: Int {
        switch self {
        case .none: 1
        case .full: 6
        }
    }
}

extension RenewalCoordinator {
    /// Saves new tokens over the row that they were got for.
    ///
    /// What decides is whether the row still holds the tokens that were spent, not who holds the claim: of two processes that spent
    /// one refresh token the one with an answer has the only good one. When the store fails, the tokens go to its second place and
    /// stay in memory, and serve from there: they exist nowhere else.
    func promote(
        _ tokens: TokenSet,
        over claimed: StoredSession,
        was old: SessionPayload,
        patience: SavingPatience
    ) async throws -> Renewal {
        defer { ages.renewed(tokens, of: claimed.id) }
        let outcome = ages.hasExpired(old.tokens, of: claimed.id) ? TokenOutcome.renewedLate : .renewedEarly
        var base = claimed
        do {
            while true {
                let renewed = successor(of: base, holding: SessionPayload(tokens: tokens))
                if try await replace(renewed, over: base.generation, patience: patience) {
                    await forgetUnsaved(claimed.id)
                    return Renewal(stored: renewed, payload: SessionPayload(tokens: tokens), outcome: outcome)
                }
                guard let current = try await store.session(claimed.id) else { break }
                let found = try SessionPayload(current)
                guard found.tokens.isSameIssue(as: old.tokens) else {
                    await forgetUnsaved(claimed.id)
                    return Renewal(stored: current, payload: found, outcome: .waited)
                }
                base = current
            }
        } catch {
            events.emit(
                .storeFailed(IdentityError.code(of: error)),
                provider: claimed.provider,
                session: claimed.id
            )
            var payload = SessionPayload(tokens: tokens)
            payload.replaces = try? SessionPayload.fingerprint(of: old.tokens)
            await setAside(payload, of: base)
            return Renewal(stored: base, payload: SessionPayload(tokens: tokens), outcome: outcome)
        }
        await forgetUnsaved(claimed.id)
        // Logout won: what came back late does not bring the session back, and is known to nobody who could give it back.
        _ = await revocation.revoke(tokens, of: Session(claimed, SessionPayload(tokens: tokens)))
        throw IdentityError.unknownSession
    }

    /// Keeps an answer that could neither be saved nor judged yet.
    func setAside(_ answer: RefreshAnswer, _ attempt: RenewalAttempt) async {
        var payload = SessionPayload(tokens: attempt.old.tokens)
        payload.answer = answer
        payload.replaces = try? SessionPayload.fingerprint(of: attempt.old.tokens)
        await setAside(payload, of: attempt.base)
    }

    private func setAside(_ payload: SessionPayload, of base: StoredSession) async {
        let isNew = unsaved.withLock { $0.updateValue(payload, forKey: base.id) == nil }
        guard isNew, let spooling = store as? any SessionSpooling else { return }
        do {
            try await spooling.spool(successor(of: base, holding: payload))
            events.emit(.tokensSpooled, provider: base.provider, session: base.id)
        } catch {
            events.emit(.storeFailed(IdentityError.code(of: error)), provider: base.provider, session: base.id)
        }
    }

    private func successor(of base: StoredSession, holding payload: SessionPayload) -> StoredSession {
        var session = base
        session.generation += 1
        session.providerSessionID = payload.tokens.providerSessionID
        session.retainedUntil = environment.clock.now + configuration.sessionRetention.timeInterval
        session.isUnsettled = payload.answer != nil
        session.isRestored = false
        session.payload = payload.secret
        return session
    }

    private func forgetUnsaved(_ id: SessionID) async {
        let wasKept = unsaved.withLock { $0.removeValue(forKey: id) != nil }
        // A process that died before may have spooled it: asked for at every recovery, so what is left over is found then.
        if wasKept, let spooling = store as? any SessionSpooling { try? await spooling.removeSpooledSession(id) }
    }

    /// Uses what an earlier attempt, here or in a process that died, could not bring to its end, instead of spending a token that is
    /// spent.
    ///
    /// - Returns: Nil when there is nothing, or nothing that is of use.
    func recover(_ stored: StoredSession, _ payload: SessionPayload, since started: Duration) async throws -> Renewal? {
        let recovered: Renewal?
        if let waiting = try await setAside(for: stored.id) {
            recovered = try await recover(waiting, stored, payload)
        } else if payload.end == nil, let answer = payload.answer {
            recovered = try await recover(answer, stored, payload)
        } else {
            return nil
        }
        if let recovered, recovered.outcome != .waited {
            events.emit(.renewalRepaired, provider: stored.provider, session: stored.id, since: started)
            events.emit(.renewed(recovered.outcome), provider: stored.provider, session: stored.id, since: started)
        }
        return recovered
    }

    /// What waits for a session, in memory or in the store's second place.
    private func setAside(for id: SessionID) async throws -> SessionPayload? {
        if let waiting = unsaved.withLock({ $0[id] }) { return waiting }
        guard let spooling = store as? any SessionSpooling else { return nil }
        return try await spooling.spooledSession(id).map { try SessionPayload($0) }
    }

    private func recover(
        _ waiting: SessionPayload,
        _ stored: StoredSession,
        _ payload: SessionPayload
    ) async throws -> Renewal? {
        guard let replaced = waiting.replaces, replaced == (try SessionPayload.fingerprint(of: payload.tokens)) else {
            // The row has moved on, with newer tokens than these.
            await forgetSpooled(stored.id)
            return nil
        }
        var tokens = waiting.tokens
        if let answer = waiting.answer {
            guard let judged = try await judged(answer, of: payload.tokens, stored.provider) else {
                await forgetSpooled(stored.id)
                return nil
            }
            tokens = judged
        }
        let renewal = try await promote(tokens, over: stored, was: payload, patience: .none)
        if unsaved.withLock({ $0[stored.id] }) == nil { await forgetSpooled(stored.id) }
        return renewal
    }

    private func recover(
        _ answer: RefreshAnswer,
        _ stored: StoredSession,
        _ payload: SessionPayload
    ) async throws -> Renewal? {
        guard let tokens = try await judged(answer, of: payload.tokens, stored.provider) else { return nil }
        return try await promote(tokens, over: stored, was: payload, patience: .full)
    }

    /// The tokens of a kept answer; nil when there are none in it.
    ///
    /// - Throws: `IdentityError` when it cannot be judged yet.
    private func judged(_ answer: RefreshAnswer, of tokens: TokenSet, _ provider: String) async throws -> TokenSet? {
        guard let journaling = try providers.provider(named: provider) as? any JournaledRefreshing else { return nil }
        do {
            return try await judge(answer, of: tokens, at: journaling)
        } catch let unjudged as UnjudgedAnswer {
            // Refused for what is in it; anything else may change, and then there may be good tokens in it.
            guard unjudged.error.kind != .rejected else { return nil }
            throw unjudged.error
        } catch {
            return nil
        }
    }

    /// The sessions whose newest tokens are not in the store.
    var unsavedSessions: Set<SessionID> {
        unsaved.withLock { Set($0.keys) }
    }

    /// Looks through the store's second place, and lets go of what belongs to sessions that are gone.
    ///
    /// - Returns: The sessions for which something is there.
    func adoptSpooled() async throws -> Set<SessionID> {
        guard let spooling = store as? any SessionSpooling else { return [] }
        var ids: Set<SessionID> = []
        for spooled in try await spooling.spooledSessions() {
            if try await store.session(spooled.id) != nil {
                ids.insert(spooled.id)
            } else {
                if let payload = try? SessionPayload(spooled), payload.answer == nil {
                    _ = await revocation.revoke(payload.tokens, of: Session(spooled, payload))
                }
                try await spooling.removeSpooledSession(spooled.id)
            }
        }
        return ids
    }

    /// Takes out what waits for a session that has been removed.
    ///
    /// - Returns: The newest tokens, where they are newer than the removed ones.
    func takeUnsaved(of removed: StoredSession, _ payload: SessionPayload) async -> TokenSet? {
        let waiting = try? await setAside(for: removed.id)
        await forgetSpooled(removed.id)
        guard let waiting, waiting.answer == nil, let replaced = waiting.replaces,
            replaced == (try? SessionPayload.fingerprint(of: payload.tokens))
        else { return nil }
        return waiting.tokens
    }

    private func forgetSpooled(_ id: SessionID) async {
        _ = unsaved.withLock { $0.removeValue(forKey: id) }
        if let spooling = store as? any SessionSpooling { try? await spooling.removeSpooledSession(id) }
    }

    /// Saves a row; a store that fails is asked again for a while.
    ///
    /// - Returns: Whether it is saved; false when the row has another generation, or is gone.
    func replace(_ session: StoredSession, over generation: Int64, patience: SavingPatience) async throws -> Bool {
        var attempt = 0
        while true {
            do {
                return try await store.replace(session, expecting: generation)
            } catch {
                // An error of a commit does not mean that nothing was committed: read before judging.
                if let current = try? await store.session(session.id), current.payload.isEqual(to: session.payload) {
                    return true
                }
                attempt += 1
                guard attempt < patience.attempts else { throw error }
                try? await environment.clock.sleep(for: .milliseconds(50 << attempt))
            }
        }
    }
}

extension TokenSet {
    /// Whether both came from one answer of the provider.
    func isSameIssue(as other: TokenSet) -> Bool {
        guard accessToken.isEqual(to: other.accessToken) else { return false }
        switch (refreshToken, other.refreshToken) {
        case (nil, nil): return true
        case (let ours?, let theirs?): return ours.isEqual(to: theirs)
        default: return false
        }
    }
}
