internal import FoundationEssentials

extension SessionManager {
    /// Renews one session: alone among processes, claimed before it is sent, saved before it is handed out.
    ///
    /// A store with locks keeps other processes out. Where it has none, the claim itself does: a fresh one is left alone.
    func renew(_ id: SessionID, from generation: Int64) async throws -> Renewal {
        let renewal: Renewal
        if let locking = store as? any SessionLocking {
            renewal = try await locking.withSessionLock(id, waitingUpTo: configuration.lockWait) { [self] _ in
                try await renew(id, from: generation, isLocked: true)
            }
        } else {
            renewal = try await renew(id, from: generation, isLocked: false)
        }
        if renewal.outcome != .waited { follow(Session(renewal.stored, renewal.payload)) }
        return renewal
    }

    private func renew(_ id: SessionID, from generation: Int64, isLocked: Bool) async throws -> Renewal {
        let started = environment.clock.elapsed
        var rounds = 0
        while true {
            let stored = try await load(id)
            let payload = try SessionPayload(stored)
            try Self.checkAlive(payload)
            if stored.generation != generation, payload.renewalStartedAt == nil {
                return Renewal(stored: stored, payload: payload, outcome: .waited)
            }
            if let rescued = try await rescue(id, stored, payload) {
                emit(.renewed, provider: stored.provider, session: id, since: started)
                return rescued
            }
            guard let refreshToken = payload.tokens.refreshToken else {
                throw IdentityError(
                    .signInAgain,
                    .notRefreshable,
                    "The provider gave no refresh token, so the session ends with its access token.",
                    hint: "Let the buyer sign in again."
                )
            }
            let provider = try providers.provider(named: stored.provider)
            if isLocked || !isLeased(payload) {
                do {
                    if let claimed = try await claim(stored, payload) {
                        let renewal = try await spend(refreshToken, of: payload, at: provider, claimed, isLocked)
                        if renewal.outcome != .waited {
                            emit(.renewed, provider: stored.provider, session: id, since: started)
                        }
                        return renewal
                    }
                } catch {
                    emit(
                        .renewalFailed(IdentityError.code(of: error)),
                        provider: stored.provider,
                        session: id,
                        since: started
                    )
                    throw error
                }
            }
            // Another process is at it, or was faster by a moment: its result is as good as ours.
            rounds += 1
            guard environment.clock.elapsed - started < configuration.lockWait else { throw Self.busy }
            try await environment.clock.sleep(for: .milliseconds(min(20 * rounds, 250)))
        }
    }

    static var busy: IdentityError {
        IdentityError(
            .retryLater,
            .renewalBusy,
            "Another process renews the session and did not finish in time.",
            hint: "Try again."
        )
    }

    /// Whether another process may still be at the renewal that the row tells of.
    ///
    /// Compared without sign: a clock that was set back must not keep a claim alive for ever.
    private func isLeased(_ payload: SessionPayload) -> Bool {
        payload.renewalStartedAt.map {
            abs(environment.clock.now.timeIntervalSince($0)) < configuration.renewalLease.timeInterval
        } ?? false
    }

    /// Writes the intent first: it proves that the store can take the write, and tells the next one that an answer was lost.
    ///
    /// - Returns: Nil when another process changed the session at the same moment.
    private func claim(_ stored: StoredSession, _ payload: SessionPayload) async throws -> StoredSession? {
        var intent = payload
        intent.renewalStartedAt = environment.clock.now
        var claimed = stored
        claimed.generation += 1
        claimed.payload = intent.secret
        return try await store.replace(claimed, expecting: stored.generation) ? claimed : nil
    }

    /// Sends the refresh token and saves what comes back.
    private func spend(
        _ refreshToken: Secret,
        of payload: SessionPayload,
        at provider: any IdentityProvider,
        _ claimed: StoredSession,
        _ isLocked: Bool
    ) async throws -> Renewal {
        let tokens: TokenSet
        do {
            tokens = try await refreshed(payload.tokens, at: provider)
        } catch {
            let error = IdentityError.wrapping(error)
            if error.code == .invalidGrant { return try await bury(claimed.id, after: error, was: payload) }
            // A lock falls with its holder, a lease has to be given back.
            if !isLocked { await release(claimed, payload) }
            throw error
        }
        return try await promote(tokens, over: claimed, was: payload)
    }

    /// The provider's answer.
    ///
    /// One that was lost on the way is asked for once more at once: inside a provider's grace window the same token works
    /// again.
    private func refreshed(_ tokens: TokenSet, at provider: any IdentityProvider) async throws -> TokenSet {
        do {
            return try await provider.refresh(tokens)
        } catch let error as IdentityError where error.leavesRequestInDoubt {
            return try await provider.refresh(tokens)
        }
    }

    /// Ends a claim that came to nothing, so that others need not wait for its lease; the mark that a token was sent stays.
    private func release(_ claimed: StoredSession, _ payload: SessionPayload) async {
        var intent = payload
        intent.renewalStartedAt = SessionPayload.renewalGivenUp
        var released = claimed
        released.generation += 1
        released.payload = intent.secret
        _ = try? await store.replace(released, expecting: claimed.generation)
    }

    /// The provider calls the refresh token dead.
    ///
    /// Another process may have been faster; if not, only a login helps.
    private func bury(_ id: SessionID, after error: IdentityError, was old: SessionPayload) async throws -> Renewal {
        while true {
            let current = try await load(id)
            var payload = try SessionPayload(current)
            guard payload.tokens.isSameIssue(as: old.tokens) else {
                try Self.checkAlive(payload)
                return Renewal(stored: current, payload: payload, outcome: .waited)
            }
            payload.needsLogin = true
            payload.renewalStartedAt = nil
            var ended = current
            ended.generation += 1
            ended.payload = payload.secret
            // Judged anew when the row has changed: it may hold new tokens by now.
            guard try await store.replace(ended, expecting: current.generation) else { continue }
            emit(.sessionEnded, provider: current.provider, session: id, since: environment.clock.elapsed)
            throw IdentityError(
                .signInAgain,
                .sessionEnded,
                "The provider has ended this session.",
                hint: "Let the buyer sign in again.",
                reference: error.reference,
                providerAnswer: error.providerAnswer,
                cause: error
            )
        }
    }
}
