internal import FoundationEssentials

extension SessionManager {
    /// Renews one session: under the store's lock where it has one, claimed before it is sent, saved before it is handed out.
    func renew(_ id: SessionID, from generation: Int64) async throws -> Renewal {
        let renewal: Renewal
        if let locking = store as? any SessionLocking {
            renewal = try await locking.withSessionLock(id, waitingUpTo: configuration.lockWait) { [self] in
                try await renewLocked(id, from: generation)
            }
        } else {
            renewal = try await renewLocked(id, from: generation)
        }
        if renewal.outcome != .waited { follow(Session(renewal.stored, renewal.payload)) }
        return renewal
    }

    private func renewLocked(_ id: SessionID, from generation: Int64) async throws -> Renewal {
        let started = environment.clock.elapsed
        let stored = try await load(id)
        let payload = try SessionPayload(stored)
        try Self.checkAlive(payload)
        if stored.generation != generation, payload.renewalStartedAt == nil {
            return Renewal(stored: stored, payload: payload, outcome: .waited)
        }
        guard payload.tokens.refreshToken != nil else {
            throw IdentityError(
                .signInAgain,
                .notRefreshable,
                "The provider gave no refresh token, so the session ends with its access token.",
                hint: "Let the buyer sign in again."
            )
        }
        let provider = try providers.provider(named: stored.provider)
        do {
            let claimed = try await claim(stored, payload)
            let tokens = try await spend(payload.tokens, at: provider)
            let renewal = try await promote(tokens, over: claimed, was: payload)
            emit(.renewed, provider: stored.provider, session: id, since: started)
            return renewal
        } catch {
            let error = IdentityError.wrapping(error)
            emit(.renewalFailed(error.code), provider: stored.provider, session: id, since: started)
            guard error.code == .invalidGrant else { throw error }
            return try await bury(id, after: error, from: stored.generation)
        }
    }

    /// Writes the intent first: it proves that the store can take the write, and tells the next one that an answer was lost.
    private func claim(_ stored: StoredSession, _ payload: SessionPayload) async throws -> StoredSession {
        var intent = payload
        intent.renewalStartedAt = environment.clock.now
        var claimed = stored
        claimed.generation += 1
        claimed.payload = intent.secret
        guard try await store.replace(claimed, expecting: stored.generation) else {
            throw IdentityError(
                .retryLater,
                .renewalBusy,
                "Another process changed the session at the same moment.",
                hint: "Try again."
            )
        }
        return claimed
    }

    /// Sends the refresh token.
    ///
    /// An answer lost on the way is asked for once more at once: inside a provider's grace window
    /// the same token works again.
    private func spend(_ tokens: TokenSet, at provider: any IdentityProvider) async throws -> TokenSet {
        do {
            return try await provider.refresh(tokens)
        } catch let error as IdentityError where error.leavesRequestInDoubt {
            return try await provider.refresh(tokens)
        }
    }

    private func promote(
        _ tokens: TokenSet,
        over claimed: StoredSession,
        was old: SessionPayload
    ) async throws -> Renewal {
        let now = environment.clock.now
        let payload = SessionPayload(tokens: tokens)
        var renewed = claimed
        renewed.generation += 1
        renewed.retainedUntil = now + configuration.sessionRetention.timeInterval
        renewed.payload = payload.secret
        guard try await persist(renewed, over: claimed.generation) else {
            // Logout won, or another machine was faster: what is stored counts, ours is dropped.
            let current = try await load(claimed.id)
            return Renewal(stored: current, payload: try SessionPayload(current), outcome: .waited)
        }
        let wasValid = old.tokens.expiresAt.map { $0 > now } ?? true
        return Renewal(stored: renewed, payload: payload, outcome: wasValid ? .renewedEarly : .renewedLate)
    }

    /// Saves the new tokens, which exist nowhere else: a store that fails is asked again for a while.
    private func persist(_ renewed: StoredSession, over generation: Int64) async throws -> Bool {
        var attempt = 0
        while true {
            do {
                return try await store.replace(renewed, expecting: generation)
            } catch {
                // An error of a commit does not mean that nothing was committed: read before judging.
                if let current = try? await store.session(renewed.id), current.generation == renewed.generation {
                    return true
                }
                attempt += 1
                guard attempt < 6 else { throw error }
                try? await environment.clock.sleep(for: .milliseconds(50 << attempt))
            }
        }
    }

    /// The provider calls the refresh token dead.
    ///
    /// Another process may have been faster; if not, only a login helps.
    private func bury(_ id: SessionID, after error: IdentityError, from generation: Int64) async throws -> Renewal {
        let current = try await load(id)
        var payload = try SessionPayload(current)
        if current.generation > generation + 1, payload.renewalStartedAt == nil, !payload.needsLogin {
            return Renewal(stored: current, payload: payload, outcome: .waited)
        }
        payload.needsLogin = true
        payload.renewalStartedAt = nil
        var ended = current
        ended.generation += 1
        ended.payload = payload.secret
        _ = try await store.replace(ended, expecting: current.generation)
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

    /// Lets carts and others follow without making the callers wait.
    private func follow(_ session: Session) {
        guard !participants.isEmpty else { return }
        followUps.start(session.id) { [self] in
            let started = environment.clock.elapsed
            for participant in participants {
                do {
                    try await participant.sessionRenewed(session)
                } catch {
                    emit(
                        .participantFailed(IdentityError.code(of: error)),
                        provider: session.provider,
                        session: session.id,
                        since: started
                    )
                }
            }
            return true
        }
    }
}
