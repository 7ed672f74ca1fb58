internal import FoundationEssentials

struct SessionTokensReader: SessionService {
    let context: SessionContext

    /// How long a call waits for another process that may be validating a stored response, if the old token is still valid.
    private static let validationWait = Duration.seconds(2)

    /// A session's tokens from the store, refreshed if necessary; the caller looks into the cache first.
    ///
    /// If the store cannot be read, returns valid new tokens that this process could not save yet, or throws the store's error.
    func tokens(for id: SessionID, validFor duration: Duration?) async throws -> SessionTokens {
        let ticket = cache?.ticket
        // If another call saves the unsaved state during the read below, the read may return older tokens. The session is then read again.
        let hadUnsavedState = unsaved[id] != nil
        let found: DecodedSession
        do {
            found = try await context.reads.load(id)
        } catch {
            guard let held = inMemory(id, after: error) else { throw error }
            return held
        }
        let decoded = try found.decoded()
        guard let tokens = decoded.state.tokens else { throw IdentityError.ended(decoded.state.endReason ?? .guest) }
        if let end = decoded.state.endReason {
            // This process may have newer tokens, or a response, that it could not save before the session was stored as ended.
            guard unsaved[id] != nil else {
                if hadUnsavedState { return try await self.tokens(for: id, validFor: duration) }
                participants.notifyNeedsLogin(of: found.stored)
                throw IdentityError.ended(end)
            }
            return try await refresher.refresh(id, for: .replacing(tokens))
        }
        var limit: Duration?
        let response = unsaved.pendingResponse(to: tokens, of: found.stored, decoded.state)
        if let response {
            // The response to an earlier refresh is not accepted yet, so `refresh` below validates it. Another process may be doing the
            // same. If the old tokens are valid, this call waits only `validationWait` for that process.
            if response.loginMismatch == nil, !schedule.hasExpired(tokens, of: id) { limit = Self.validationWait }
        } else {
            if let entry = unsaved[id], entry.replaces(tokens), !schedule.hasExpired(tokens, of: id),
                let newer = inMemory(id, validFor: duration)
            {
                // The provider may have invalidated the stored tokens when it issued the new tokens. So the caller gets the new tokens now,
                // and the repair saves these tokens in the background.
                refresher.startRepair(id)
                return newer
            }
            if hadUnsavedState, unsaved[id] == nil { return try await self.tokens(for: id, validFor: duration) }
            switch schedule.need(for: tokens, of: id, validFor: duration) {
            case .unknownExpiry: return notRefreshed(decoded.session, tokens)
            case .later(let remaining, let untilDue):
                let current = notRefreshed(decoded.session, tokens)
                if let cache, let ticket, current.warning == nil {
                    let lifetime = visible.lifetime
                    let untilEnd = Duration(limited: lifetime.end(of: found.stored).timeIntervalSince(lifetime.now))
                    cache.put(current, remaining: remaining, untilDue: min(untilDue, untilEnd), ticket: ticket)
                }
                return current
            case .early:
                let reason = refresher.startEarly(found.stored, replacing: tokens)
                return notRefreshed(decoded.session, tokens, because: reason)
            case .now: break
            }
        }
        do {
            return try await refresher.refresh(id, for: .replacing(tokens), waitingUpTo: limit)
        } catch let error as IdentityError
            where error.kind != .signInAgain && error.kind != .cancelled && !error.isAttackSuspected
            || error.code == .notRefreshable
        {
            // If an earlier validation found that the response belongs to another login, the old tokens must not be returned.
            if let mismatch = response?.loginMismatch { throw IdentityError.otherLogin(mismatch, because: error) }
            if let held = inMemory(id, after: error) { return held }
            // An outage must not sign a buyer out while the old token is valid. The token may have expired while this call waited.
            guard !schedule.hasExpired(tokens, of: id) else { throw error }
            return notRefreshed(decoded.session, tokens, because: error)
        }
    }

    /// Returns new tokens that this process could not save yet; nil if no such tokens are valid, or if `error` has kind `signInAgain`.
    ///
    /// If the caller passes an `error`, or if the tokens expire sooner than requested, the outcome is `stillValid`.
    private func inMemory(
        _ id: SessionID,
        validFor duration: Duration? = nil,
        after error: (any Error)? = nil
    ) -> SessionTokens? {
        var error = error.map(IdentityError.wrapping)
        guard error?.kind != .signInAgain, let (session, tokens) = unsaved.tokens(of: id),
            !schedule.hasExpired(tokens, of: id), visible.isVisible(session)
        else { return nil }
        if error == nil, case .now = schedule.need(for: tokens, of: id, validFor: duration) {
            error = .unsaved(
                "The session's new tokens were not refreshed, because the store has not saved them yet.",
                unsaved.warning(for: id)
            )
        }
        return notRefreshed(Session(session, .active(tokens)), tokens, because: error)
    }

    /// Returns tokens that this call has not refreshed; `reason` is the error that prevented a due refresh, or nil.
    private func notRefreshed(
        _ session: Session,
        _ tokens: TokenSet,
        because reason: IdentityError? = nil
    ) -> SessionTokens {
        let warning = unsaved.warning(for: session.id)
        return SessionTokens(
            .init(session: session, tokens: tokens, warning: warning, reason: reason),
            outcome: reason == nil ? .stored : .stillValid
        )
    }

    /// Runs a call with a session's access token; if the server rejects the token, refreshes the token and runs the call once more.
    func withTokens<Value: Sendable>(
        of id: SessionID,
        validFor duration: Duration?,
        _ call: (ResourceAccess) async throws -> Value
    ) async throws -> Value {
        let first =
            if let cached = cache?.tokens(id, validFor: duration) { cached } else {
                try await tokens(for: id, validFor: duration)
            }
        let provider = try providers.provider(ofStored: first.session.provider, tenant: first.session.tenant)
        let rejection: IdentityError
        do {
            return try await call(ResourceAccess(first, at: provider))
        } catch let error as IdentityError where error.mayRetryAfterRefresh {
            rejection = error
            guard first.session.isRefreshable else { throw error.withoutRefresh }
            if !first.isFromEarlierRefresh, [.refreshedEarly, .refreshedLate].contains(first.outcome) {
                context.rejected.add(first.tokens, of: id)
                throw error.afterRefresh
            }
            guard !context.rejected.contains(first.tokens, of: id) else { throw error.afterRefresh }
        }
        // If another caller has already refreshed the rejected tokens, `refresh` returns the new tokens and sends no refresh token.
        let second = try await refresher.refresh(id, for: .replacing(first.tokens))
        // If the store still cannot save the rejected tokens, which an earlier refresh received, `refresh` returns the same tokens.
        guard !second.isFromEarlierRefresh || !second.tokens.isSameIssue(as: first.tokens) else { throw rejection }
        do {
            return try await call(ResourceAccess(second, at: provider))
        } catch let error as IdentityError where error.mayRetryAfterRefresh && !second.isFromEarlierRefresh {
            context.rejected.add(second.tokens, of: id)
            throw error.afterRefresh
        }
    }
}
