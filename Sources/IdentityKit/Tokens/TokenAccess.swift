internal import FoundationEssentials

/// Returns the tokens of sessions, and refreshes them first if necessary.
struct TokenAccess: Sendable {
    let visible: VisibleSessions
    let reads: SharedReads
    let schedule: RefreshSchedule
    let refresher: TokenRefresher
    let refreshes: SharedRefreshes
    let cache: CredentialCache?
    let participants: SessionParticipants
    let refused: RefusedTokens
    let clock: any IdentityClock

    /// Tokens from the cache.
    func cached(for id: SessionID, validFor duration: Duration?) -> SessionTokens? {
        cache?.tokens(id, validFor: duration ?? RefreshSchedule.usualValidity)
    }

    func tokens(for id: SessionID, validFor duration: Duration?) async throws -> SessionTokens {
        if let found = cached(for: id, validFor: duration) { return found }
        let ticket = cache?.ticket
        let found: StoredState
        do {
            found = try await reads.load(id)
        } catch {
            guard let held = inMemory(id, after: error) else { throw error }
            return held
        }
        return try await tokens(of: found, validFor: duration, ticket: ticket)
    }

    /// Returns tokens that are not in the store yet, while the store can be neither read nor locked.
    ///
    /// Their outcome is `stillValid`, as for stored tokens that could not be refreshed; `reason` is the error of the store.
    private func inMemory(_ id: SessionID, after error: any Error) -> SessionTokens? {
        let error = IdentityError.wrapping(error)
        guard error.kind != .signInAgain, let (session, tokens) = refresher.unsavedTokens(of: id),
            visible.isVisible(session)
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
    ///   - found: The stored session.
    ///   - duration: How long the access token must be valid.
    ///   - ticket: The cache's ticket, taken before the session was read.
    /// - Returns: The tokens and how they were obtained.
    /// - Throws: ``IdentityError`` when there are no valid tokens.
    private func tokens(
        of found: StoredState,
        validFor duration: Duration?,
        ticket: Int?
    ) async throws -> SessionTokens {
        let stored = found.stored
        let (state, session) = try found.read()
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
        var limit: Duration?
        let answer = refresher.pendingAnswer(to: tokens, of: stored.id, state)
        if let answer {
            // The answer is validated before the old tokens are returned. Its holder may be about to save the new ones.
            if answer.verdict == nil, !schedule.hasExpired(tokens, of: stored.id) { limit = Self.waitForJudgement }
        } else {
            guard let remaining = schedule.remaining(tokens, of: stored.id) else { return asStored(.stored) }
            switch schedule.need(for: tokens, of: stored.id, remaining: remaining, validFor: duration) {
            case .none(let untilDue):
                let credential = asStored(.stored)
                if let cache, let ticket, credential.warning == nil {
                    let lifetime = visible.lifetime
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
            return try await refreshed(stored.id, replacing: tokens, waitingUpTo: limit)
        } catch let error as IdentityError
            where error.kind != .signInAgain && error.kind != .cancelled && !error.isAttackSuspected
            || error.code == .notRefreshable
        {
            // The answer could not be validated, for example because another process holds the lock.
            if let verdict = answer?.verdict { throw IdentityError.standing(verdict, because: error) }
            if let held = inMemory(stored.id, after: error) { return held }
            // An outage or a defect of the SDK signs no buyer out while the old token is valid. The token may have expired during the wait.
            guard !schedule.hasExpired(tokens, of: stored.id) else { throw error }
            return asStored(.stillValid, error)
        }
    }

    /// How long a caller with a valid token waits for the validation of the answer that replaces the token.
    private static let waitForJudgement = Duration.seconds(2)

    /// Starts a refresh in the background.
    ///
    /// After a failure the next one has to wait, because the token is still valid.
    ///
    /// - Returns: The error of the last attempt, if it is too early for the next one.
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
            // A guest has no claim for the cart. That is not a failure.
            return (.none, try await reads.load(id).read().session)
        }
    }

    func buyerProfile(for id: SessionID) async throws -> Buyer {
        try await withTokens(of: id, validFor: nil) { access in
            guard let profiles = access.provider as? any BuyerProfileProviding else { return access.tokens.buyer }
            return try await profiles.buyerProfile(for: access.tokens)
        }
    }

    func refreshTokens(for id: SessionID) async throws -> SessionTokens {
        let state = try await reads.load(id).read().state
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
                    .dpopProofRefused,
                    "The resource server asked for a DPoP nonce again.",
                    hint: "Try again. If it happens again, the server sends nonces that it does not accept itself.",
                    reference: "RFC 9449 section 9"
                )
            }
        }
    }

    /// Records that tokens were refused right after their refresh, so that no further refresh follows for a while.
    func noteRefusal(of tokens: TokenSet, of id: SessionID) { refused.add(tokens, of: id) }

    /// Whether the session's tokens were refused right after their refresh.
    func hasRefusedTokens(_ id: SessionID) async throws -> Bool {
        guard let tokens = try await reads.load(id).read().state.tokens else { return false }
        return refused.contains(tokens, of: id)
    }

    /// Runs a call with a session's access token.
    ///
    /// If the server refuses the token, refreshes once and runs the call again.
    private func withTokens<Value: Sendable>(
        of id: SessionID,
        validFor duration: Duration?,
        _ call: (ResourceAccess) async throws -> Value
    ) async throws -> Value {
        let first = try await tokens(for: id, validFor: duration)
        let provider = try visible.providers.provider(ofStored: first.session.provider)
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
        // If another caller has refreshed the tokens in the meantime, this caller gets its result.
        let second = try await refreshed(id, replacing: first.tokens)
        do {
            return try await call(ResourceAccess(second, at: provider))
        } catch let error as IdentityError where error.mayEndWithRefresh {
            refused.add(second.tokens, of: id)
            throw error.afterRefresh
        }
    }

    /// Newer tokens than these, from a refresh of this process or of another one.
    private func refreshed(
        _ id: SessionID,
        replacing tokens: TokenSet,
        waitingUpTo limit: Duration? = nil
    ) async throws -> SessionTokens {
        let begun = clock.elapsed
        let limit = limit ?? refreshes.lockWait
        var stale = tokens
        while true {
            let (found, started): (RefreshedSession, Bool)
            do {
                (found, started) = try await refreshes.run(id, for: .replacing(stale), waitingUpTo: limit)
            } catch {
                throw IdentityError.wrapping(error)
            }
            let outcome = started ? found.outcome : .waited
            let hasExpired = schedule.hasExpired(found.tokens, of: id)
            if hasExpired, refresher.hasUnsaved(id) { throw expiredUnsaved(id) }
            // The refresh that this caller joined may have had another goal, or may have ended long ago. Tokens that a refresh has
            // just returned are the newest ones. Tokens of an answer that was saved earlier may be old.
            let isNew = !found.isRecovered && schedule.isJustRefreshed(found.tokens, of: id)
            let isGood = !found.tokens.isSameIssue(as: stale) && (!hasExpired || isNew)
            if outcome != .waited || isGood {
                let losses = TokenLosses(from: tokens, to: found.tokens)
                return handOut(found.tokens, of: found.session, outcome, losses: losses)
            }
            stale = found.tokens
            guard clock.elapsed - begun < limit else {
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
                ?? "Make the store writable. The newest tokens are then saved from the spool, and the session is refreshed; nothing is lost."
        )
    }
}
