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
    /// How long a caller who has good tokens waits for a store that fails slowly.
    static let savingLimit = Duration.seconds(5)

    /// Saves new tokens over the row that they were got for.
    ///
    /// Under the lock the row only has to hold the tokens that were spent: of two processes that spent one refresh token the one with
    /// an answer has the only good one. A holder that lost its lock replaces its own claim only. When the store fails, or holds the
    /// claim of another process by then, the tokens go to the spool and stay in memory, and serve from there: they exist nowhere
    /// else.
    func promote(
        _ tokens: TokenSet,
        over claimed: StoredSession,
        was old: SessionPayload,
        under hold: SessionHold,
        patience: SavingPatience
    ) async throws -> Renewal {
        var end: SessionEndReason?
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
                if !hold.isHeld {
                    end = found.end
                    guard end == nil else { break }
                    throw IdentityError.lockLost
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
        // Logout won, or the holder of the lock ended the session: a late answer does not bring the session back, and nobody else
        // could have its tokens revoked.
        _ = await revocation.revoke(tokens, of: Session(claimed, SessionPayload(tokens: tokens)))
        throw end.map { IdentityError.ended($0) } ?? .unknownSession
    }

    /// Keeps an answer that could neither be saved nor judged yet.
    func setAside(_ answer: RefreshAnswer, _ attempt: RenewalAttempt) async {
        var payload = SessionPayload(tokens: attempt.old.tokens)
        payload.answer = answer
        payload.replaces = try? SessionPayload.fingerprint(of: attempt.old.tokens)
        await setAside(payload, of: attempt.base)
    }

    private func setAside(_ payload: SessionPayload, of base: StoredSession) async {
        var waiting = UnsavedSession(session: successor(of: base, holding: payload), payload: payload)
        waiting.isAnswerStored = (try? SessionPayload(base))?.answer != nil
        let before = unsaved.withLock { [waiting] unsaved in
            let before = unsaved[base.id]
            unsaved[base.id] = waiting
            unsaved[base.id]?.isSpooled = before?.isSpooled ?? false
            return before
        }
        guard before?.isSpooled != true else { return }
        if let spooling = store as? any SessionSpooling {
            do {
                try await spooling.spool(waiting.session)
                unsaved.withLock { $0[base.id]?.isSpooled = true }
                return events.emit(.tokensSpooled, provider: base.provider, session: base.id)
            } catch {
                events.emit(.storeFailed(IdentityError.code(of: error)), provider: base.provider, session: base.id)
            }
        }
        // Once, not at every attempt to save them.
        if before?.isDurable ?? true, !waiting.isDurable {
            events.emit(.tokensNotDurable, provider: base.provider, session: base.id)
        }
    }

    /// The sessions whose newest tokens exist in this process's memory only.
    var sessionsNotDurable: Set<SessionID> {
        unsaved.withLock { Set($0.filter { !$0.value.isDurable }.keys) }
    }

    /// What the caller must know who gets a session's tokens; nil while its newest tokens are stored.
    func warning(for id: SessionID) -> IdentityError? {
        guard let waiting = unsaved.withLock({ $0[id] }), !waiting.isDurable else { return nil }
        return .tokensNotDurable
    }

    /// Tokens that serve while the store can be neither read nor locked.
    func tokensInMemory(_ id: SessionID) -> (session: StoredSession, payload: SessionPayload)? {
        guard let waiting = unsaved.withLock({ $0[id] }), waiting.payload.answer == nil,
            !ages.hasExpired(waiting.payload.tokens, of: id)
        else { return nil }
        return (waiting.session, waiting.payload)
    }

    private func successor(of base: StoredSession, holding payload: SessionPayload) -> StoredSession {
        var session = base
        session.generation += 1
        session.providerSessionID = payload.tokens.providerSessionID
        session.retainedUntil = lifetime.end(ofSessionSince: base.createdAt, keptUntil: base.retainedUntil)
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
    func recover(
        _ stored: StoredSession,
        _ payload: SessionPayload,
        under hold: SessionHold,
        since started: Duration
    ) async throws -> Renewal? {
        var recovered: Renewal?
        if let waiting = unsaved.withLock({ $0[stored.id]?.payload }) {
            recovered = try await recover(waiting, stored, payload, hold)
            // The row has moved on, with newer tokens than these; what is in the second place may be newer still.
            if recovered == nil { unsaved.withLock { _ = $0.removeValue(forKey: stored.id) } }
        }
        if recovered == nil, let waiting = try await spooled(stored.id) {
            recovered = try await recover(waiting, stored, payload, hold)
            if recovered == nil { await forgetSpooled(stored.id) }
        }
        if recovered == nil, payload.end == nil, let answer = payload.answer {
            recovered = try await recover(answer, stored, payload, hold)
        }
        // While nothing can be saved, nothing has changed since the renewal was told.
        if let recovered, recovered.outcome != .waited, unsaved.withLock({ $0[stored.id] }) == nil {
            events.emit(.renewalRepaired, provider: stored.provider, session: stored.id, since: started)
            events.emit(.renewed(recovered.outcome), provider: stored.provider, session: stored.id, since: started)
        }
        return recovered
    }

    /// What waits in the store's second place.
    private func spooled(_ id: SessionID) async throws -> SessionPayload? {
        guard let spooling = store as? any SessionSpooling else { return nil }
        return try await spooling.spooledSession(id).map { try SessionPayload($0) }
    }

    private func recover(
        _ waiting: SessionPayload,
        _ stored: StoredSession,
        _ payload: SessionPayload,
        _ hold: SessionHold
    ) async throws -> Renewal? {
        guard let replaced = waiting.replaces, replaced == (try SessionPayload.fingerprint(of: payload.tokens)) else {
            return nil
        }
        var tokens = waiting.tokens
        var base = stored
        if let answer = waiting.answer {
            base = await saveAnswer(answer, over: stored, payload, hold)
            guard let judged = try await judgedAndReported(answer, stored, payload) else { return nil }
            tokens = judged
        }
        let renewal = try await promote(tokens, over: base, was: payload, under: hold, patience: .none)
        if unsaved.withLock({ $0[stored.id] }) == nil { await forgetSpooled(stored.id) }
        return renewal
    }

    /// Saves an answer that the store did not take before, because validation may fail for a long time.
    ///
    /// Another machine does not see this one's memory and spool: without the answer in the row it would send the old refresh token.
    private func saveAnswer(
        _ answer: RefreshAnswer,
        over stored: StoredSession,
        _ payload: SessionPayload,
        _ hold: SessionHold
    ) async -> StoredSession {
        guard payload.answer == nil, hold.isHeld else { return stored }
        var answered = payload
        answered.answer = answer
        answered.intent?.isAbandoned = true
        var saved = stored
        saved.generation += 1
        saved.isUnsettled = true
        saved.payload = answered.secret
        guard (try? await replace(saved, over: stored.generation, patience: .none)) == true else { return stored }
        unsaved.withLock { $0[stored.id]?.isAnswerStored = true }
        return saved
    }

    private func recover(
        _ answer: RefreshAnswer,
        _ stored: StoredSession,
        _ payload: SessionPayload,
        _ hold: SessionHold
    ) async throws -> Renewal? {
        guard let tokens = try await judgedAndReported(answer, stored, payload) else { return nil }
        return try await promote(tokens, over: stored, was: payload, under: hold, patience: .full)
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
                if let payload = try? SessionPayload(spooled) {
                    await abandonUnsaved(UnsavedSession(session: spooled, payload: payload))
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
        var waiting = unsaved.withLock { $0[removed.id]?.payload }
        if waiting == nil { waiting = try? await spooled(removed.id) }
        await forgetSpooled(removed.id)
        if let waiting, let replaced = waiting.replaces,
            replaced == (try? SessionPayload.fingerprint(of: payload.tokens))
        {
            guard let answer = waiting.answer else { return waiting.tokens }
            return try? await judged(answer, of: payload.tokens, removed.provider)
        }
        guard let answer = payload.answer else { return nil }
        return try? await judged(answer, of: payload.tokens, removed.provider)
    }

    /// Lets go of what waits for a session that is gone: nobody else could give its tokens back.
    private func abandonUnsaved(_ waiting: UnsavedSession) async {
        var tokens: TokenSet? = waiting.payload.tokens
        if let answer = waiting.payload.answer {
            tokens = try? await judged(answer, of: waiting.payload.tokens, waiting.session.provider)
        }
        guard let tokens else { return }
        _ = await revocation.revoke(tokens, of: Session(waiting.session, waiting.payload))
    }

    /// The same for a session of which another process, or nobody, removed the row.
    func abandonUnsaved(_ id: SessionID) async {
        guard let waiting = unsaved.withLock({ $0.removeValue(forKey: id) }) else { return }
        await abandonUnsaved(waiting)
        await forgetSpooled(id)
    }

    private func forgetSpooled(_ id: SessionID) async {
        _ = unsaved.withLock { $0.removeValue(forKey: id) }
        if let spooling = store as? any SessionSpooling { try? await spooling.removeSpooledSession(id) }
    }

    /// Saves a row; a store that fails is asked again for a while.
    ///
    /// - Returns: Whether it is saved; false when the row has another generation, or is gone.
    func replace(_ session: StoredSession, over generation: Int64, patience: SavingPatience) async throws -> Bool {
        let deadline = environment.clock.elapsed + Self.savingLimit
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
                guard attempt < patience.attempts, environment.clock.elapsed < deadline else { throw error }
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
