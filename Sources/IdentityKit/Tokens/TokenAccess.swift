internal import FoundationEssentials

/// Hands out the tokens of sessions, refreshed first where that is needed.
struct TokenAccess: Sendable {
    let known: KnownSessions
    let schedule: RefreshSchedule
    let refresher: TokenRefresher
    let refreshes: SharedRefreshes
    let cache: CredentialCache?
    let participants: SessionParticipants
    let refused: RefusedTokens
    /// How long to wait for another process that refreshes the same session.
    let lockWait: Duration
    let clock: any IdentityClock

    func tokens(for id: SessionID, validFor duration: Duration?) async throws -> SessionTokens {
        if let cached = cache?.tokens(id, validFor: duration ?? RefreshSchedule.usualValidity) { return cached }
        return try await Correlation.scope {
            let ticket = cache?.ticket
            let stored: StoredSession
            do {
                stored = try await known.load(id)
            } catch {
                guard let held = inMemory(id, after: error) else { throw error }
                return held
            }
            return try await tokens(of: stored, validFor: duration, ticket: ticket)
        }
    }

    /// Tokens that the store has not taken yet are handed out while it can be neither read nor locked.
    private func inMemory(_ id: SessionID, after error: any Error) -> SessionTokens? {
        let error = IdentityError.wrapping(error)
        guard error.kind != .signInAgain, let (session, tokens) = refresher.unsavedTokens(of: id),
            known.isKnown(session)
        else { return nil }
        return handOut(tokens, of: Session(session, .active(tokens)), .stillValid, because: error)
    }

    private func handOut(
        _ tokens: TokenSet,
        of session: Session,
        _ outcome: TokenOutcome,
        because reason: IdentityError? = nil,
        losses: TokenLosses? = nil
    ) -> SessionTokens {
        SessionTokens(
            session: session,
            tokens: tokens,
            outcome: outcome,
            warning: refresher.warning(for: session.id),
            reason: reason,
            losses: losses
        )
    }

    /// The tokens of a session that was read from the store.
    ///
    /// - Parameters:
    ///   - stored: The stored session.
    ///   - duration: How long the access token must be valid.
    ///   - ticket: The cache's, from before the session was read.
    /// - Returns: The tokens and how they were obtained.
    /// - Throws: ``IdentityError`` when there are no valid tokens.
    private func tokens(
        of stored: StoredSession,
        validFor duration: Duration?,
        ticket: Int?
    ) async throws -> SessionTokens {
        let state = try SessionState(stored)
        let session = Session(stored, state)
        guard let tokens = state.tokens else { throw IdentityError.ended(state.endReason ?? .guest) }
        if let end = state.endReason {
            // An unsaved answer may contain newer tokens than those that the provider refused.
            guard refresher.hasUnsaved(stored.id) else {
                participants.followEnd(of: stored.id)
                throw IdentityError.ended(end)
            }
            return try await refreshed(stored.id, replacing: tokens)
        }
        func asStored(_ outcome: TokenOutcome, _ reason: IdentityError? = nil) -> SessionTokens {
            handOut(tokens, of: session, outcome, because: reason)
        }
        var patience = lockWait
        let answer = refresher.pendingAnswer(to: tokens, of: stored.id, state)
        if let answer {
            // It is judged before the old tokens are handed out. Its holder may be about to save the new ones.
            if answer.verdict == nil, !schedule.hasExpired(tokens, of: stored.id) { patience = Self.waitForJudgement }
        } else {
            guard let remaining = schedule.remaining(tokens, of: stored.id) else { return asStored(.stored) }
            switch schedule.need(for: tokens, of: stored.id, remaining: remaining, validFor: duration) {
            case .none(let untilDue):
                let credential = asStored(.stored)
                if let cache, let ticket, credential.warning == nil {
                    let lifetime = known.lifetime
                    let untilEnd = TokenAges.duration(lifetime.end(of: stored).timeIntervalSince(lifetime.now))
                    cache.put(credential, remaining: remaining, untilDue: min(untilDue, untilEnd), ticket: ticket)
                }
                return credential
            case .early:
                let reason = refreshEarly(stored, tokens)
                return asStored(reason == nil ? .stored : .stillValid, reason)
            case .now: break
            }
        }
        do {
            return try await refreshed(stored.id, replacing: tokens, waitingUpTo: patience)
        } catch let error as IdentityError
            where error.kind != .signInAgain && error.kind != .cancelled && !error.isAttackSuspected
            || error.code == .notRefreshable
        {
            // Nothing could be judged, for example because another process holds the lock.
            if let verdict = answer?.verdict { throw IdentityError.standing(verdict, because: error) }
            if let held = inMemory(stored.id, after: error) { return held }
            // An outage, or a fault of ours, signs nobody out while the old token lasts; the wait may have been longer than that.
            guard !schedule.hasExpired(tokens, of: stored.id) else { throw error }
            return asStored(.stillValid, error)
        }
    }

    /// How long a caller with a token that is still valid waits for the judgement of the answer that replaces it.
    private static let waitForJudgement = Duration.seconds(2)

    /// Starts a refresh in the background; after a failure not again for a while, because the token is still valid.
    ///
    /// - Returns: The error of the last attempt, where it is too early for the next one.
    private func refreshEarly(_ stored: StoredSession, _ tokens: TokenSet) -> IdentityError? {
        guard !refresher.holdsBackEarly(stored.id, of: stored.provider) else {
            return refresher.earlyFailure(stored.id)
        }
        refreshes.startEarly(stored.id, replacing: tokens)
        return nil
    }

    func cartClaim(
        for id: SessionID,
        validFor duration: Duration?
    ) async throws -> (claim: CartClaim, session: Session) {
        do {
            return try await withTokens(of: id, validFor: duration) { access in
                (try await access.cartClaim(), access.session)
            }
        } catch let error as IdentityError where error.code == .notSignedIn {
            // A guest's cart is a guest's; that is no failure.
            let guest = try await known.load(id)
            return (.none, Session(guest, try SessionState(guest)))
        }
    }

    func buyerProfile(for id: SessionID) async throws -> Buyer {
        try await withTokens(of: id, validFor: nil) { access in
            guard let profiles = access.provider as? any BuyerProfileProviding else { return access.tokens.buyer }
            return try await profiles.buyerProfile(for: access.tokens)
        }
    }

    func refreshTokens(for id: SessionID) async throws -> SessionTokens {
        let state = try SessionState(try await known.load(id))
        guard let tokens = state.tokens else { throw IdentityError.ended(state.endReason ?? .guest) }
        return try await refreshed(id, replacing: tokens)
    }

    func userInfo(for id: SessionID) async throws -> UserInfoClaims {
        try await withTokens(of: id, validFor: nil) { access in
            guard let provider = access.provider as? any UserInfoProviding else {
                throw IdentityError(
                    .configuration,
                    .unsupportedByProvider,
                    "The provider \(access.session.provider) has no UserInfo endpoint.",
                    hint: "Use buyerProfile(for:), which every provider supports.",
                    reference: "OpenID Connect Core section 5.3"
                )
            }
            return try await provider.userInfo(for: access.tokens)
        }
    }

    func withAccessToken<Value: Sendable>(
        of id: SessionID,
        validFor duration: Duration?,
        perform call: (ResourceAccess) async throws -> Value
    ) async throws -> Value {
        try await withTokens(of: id, validFor: duration) { access in
            do { return try await call(access) } catch is NonceRequired {}
            do { return try await call(access) } catch is NonceRequired {
                throw IdentityError(
                    .retryLater,
                    .possessionProofRefused,
                    "The resource server asked for a DPoP nonce again.",
                    hint: "Try again. If it happens again, the server sends nonces that it does not accept itself.",
                    reference: "RFC 9449 section 9"
                )
            }
        }
    }

    /// Runs a call with a session's access token; where the server refuses the token, refreshes once and runs it again.
    private func withTokens<Value: Sendable>(
        of id: SessionID,
        validFor duration: Duration?,
        _ call: (ResourceAccess) async throws -> Value
    ) async throws -> Value {
        let first = try await tokens(for: id, validFor: duration)
        let provider = try known.providers.provider(ofStored: first.session.provider)
        do {
            return try await call(ResourceAccess(first, at: provider))
        } catch let error as IdentityError where error.mayEndWithRefresh {
            guard first.session.isRefreshable else { throw error.withoutRefresh }
            if first.outcome == .refreshedEarly || first.outcome == .refreshedLate {
                refused.add(first.tokens, of: id)
                throw error.afterRefresh
            }
            guard !refused.contains(first.tokens, of: id) else { throw error.afterRefresh }
        }
        // Who comes late gets what others have refreshed meanwhile.
        let second = try await refreshed(id, replacing: first.tokens)
        do {
            return try await call(ResourceAccess(second, at: provider))
        } catch let error as IdentityError where error.mayEndWithRefresh {
            refused.add(second.tokens, of: id)
            throw error.afterRefresh
        }
    }

    /// Other tokens than these, got by a refresh of ours or of another process.
    private func refreshed(
        _ id: SessionID,
        replacing tokens: TokenSet,
        waitingUpTo patience: Duration? = nil
    ) async throws -> SessionTokens {
        let begun = clock.elapsed
        let patience = patience ?? lockWait
        var stale = tokens
        while true {
            let (found, started): (RefreshedSession, Bool)
            do {
                (found, started) = try await refreshes.run(id, for: .replacing(stale), waitingUpTo: patience)
            } catch {
                throw IdentityError.wrapping(error)
            }
            let outcome = started ? found.outcome : .waited
            let hasExpired = schedule.hasExpired(found.tokens, of: id)
            if hasExpired, refresher.hasUnsaved(id) { throw expiredUnsaved(id) }
            // The refresh that this caller joined may have had another goal, such as settling a doubt, or may have ended long ago.
            // Tokens that a refresh has just brought are the best that can be had; those of an answer that was saved before may be old.
            let isNew = !found.isRecovered && schedule.isFresh(found.tokens, of: id)
            let isGood = !found.tokens.isSameIssue(as: stale) && (!hasExpired || isNew)
            if outcome != .waited || isGood {
                let losses = TokenLosses(from: tokens, to: found.tokens)
                return handOut(found.tokens, of: found.session, outcome, losses: losses)
            }
            stale = found.tokens
            guard clock.elapsed - begun < patience else {
                throw IdentityError.refreshTakesLong
            }
        }
    }

    private func expiredUnsaved(_ id: SessionID) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeFailed,
            "The session's newest tokens have expired before they could be saved.",
            hint: refresher.warning(for: id)?.hint
                ?? "Nothing is refreshed while the store takes no writes. The tokens are stored durably and wait for it."
        )
    }
}
