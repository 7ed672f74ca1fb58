internal import FoundationEssentials

extension SessionManager {
    private static let usualMargin = Duration.seconds(60)

    /// A session's tokens, good for at least as long as asked, renewed first where that is needed.
    ///
    /// However many tasks ask, the refresh token is spent once. A caller who is cancelled does not cancel the renewal. When
    /// the provider is down, the old token is handed out for as long as it lasts.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - duration: How long the access token should still be valid; by default 60 seconds, or a quarter of its life where that is
    ///     less. For longer than the provider's tokens live, they are renewed at most every 30 seconds.
    /// - Returns: The tokens and how they were obtained.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/signInAgain`` when only a new login helps.
    public func tokens(for id: SessionID, validFor duration: Duration? = nil) async throws -> SessionTokens {
        if let cached = cached(id, validFor: duration) { return cached }
        return try await Correlation.scope {
            let ticket = cache?.ticket
            let stored: StoredSession
            do {
                stored = try await load(id)
            } catch {
                guard let held = inMemory(id, after: error) else { throw error }
                return held
            }
            return try await tokens(of: stored, validFor: duration, ticket: ticket)
        }
    }

    /// Tokens that the store has not taken yet serve while it can be neither read nor locked.
    private func inMemory(_ id: SessionID, after error: any Error) -> SessionTokens? {
        let error = IdentityError.wrapping(error)
        guard error.kind != .signInAgain, let (session, payload) = coordinator.tokensInMemory(id), isKnown(session)
        else { return nil }
        return handOut(payload, of: session, .stillValid, because: error)
    }

    private func handOut(
        _ payload: SessionPayload,
        of stored: StoredSession,
        _ outcome: TokenOutcome,
        because reason: IdentityError? = nil
    ) -> SessionTokens {
        SessionTokens(
            session: Session(stored, payload),
            tokens: payload.tokens,
            outcome: outcome,
            warning: coordinator.warning(for: stored.id),
            reason: reason
        )
    }

    private func cached(_ id: SessionID, validFor duration: Duration?) -> SessionTokens? {
        cache?.tokens(id, validFor: duration ?? Self.usualMargin)
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
        let payload = try SessionPayload(stored)
        func asStored(_ outcome: TokenOutcome, _ reason: IdentityError? = nil) -> SessionTokens {
            handOut(payload, of: stored, outcome, because: reason)
        }
        if let end = payload.end {
            // What came late and could not be saved may prove the provider wrong.
            guard coordinator.unsavedSessions.contains(stored.id) else {
                if end != .guest { followEnd(of: stored.id) }
                throw IdentityError.ended(end)
            }
            return try await renewed(stored.id, replacing: payload.tokens)
        }
        guard let remaining = coordinator.ages.remaining(payload.tokens, of: stored.id) else {
            return asStored(.stored)
        }
        if isGood(payload.tokens, stored.id, remaining, for: duration) {
            let untilDue = remaining - remainingWhenDue(payload.tokens, stored.id)
            if untilDue < .zero, let reason = renewEarly(stored, payload.tokens) {
                return asStored(.stillValid, reason)
            }
            let credential = asStored(.stored)
            if let cache, let ticket, credential.warning == nil {
                let untilEnd = TokenAges.duration(lifetime.end(of: stored).timeIntervalSince(lifetime.now))
                cache.put(credential, remaining: remaining, untilDue: min(untilDue, untilEnd), ticket: ticket)
            }
            return credential
        }
        do {
            return try await renewed(stored.id, replacing: payload.tokens)
        } catch let error as IdentityError
            where error.kind != .signInAgain && error.kind != .cancelled || error.code == .notRefreshable
        {
            if let held = inMemory(stored.id, after: error) { return held }
            // An outage, or a fault of ours, signs nobody out while the old token lasts; the wait may have been longer than that.
            guard !coordinator.ages.hasExpired(payload.tokens, of: stored.id) else { throw error }
            return asStored(.stillValid, error)
        }
    }

    /// Whether tokens are good for as long as asked.
    private func isGood(_ tokens: TokenSet, _ id: SessionID, _ remaining: Duration, for asked: Duration?) -> Bool {
        guard remaining > .zero, let expiresAt = tokens.expiresAt else { return false }
        let lifetime = TokenAges.duration(expiresAt.timeIntervalSince(tokens.issuedAt))
        guard let asked else { return remaining >= min(Self.usualMargin, lifetime / 4) }
        // What no token of this provider can be is not asked of it again and again: that would bring nobody nearer.
        return remaining >= asked || (asked >= lifetime && coordinator.ages.isFresh(tokens, of: id))
    }

    /// Starts a refresh in the background; after a failure not again for a while, because the token is still valid.
    ///
    /// - Returns: The error of the last attempt, where it is too early for the next one.
    private func renewEarly(_ stored: StoredSession, _ tokens: TokenSet) -> IdentityError? {
        guard !coordinator.holdsBackEarly(stored.id, of: stored.provider) else {
            return coordinator.pauses.earlyFailure(stored.id)
        }
        renewals.start(stored.id) { [self] in
            do {
                return try await renew(stored.id, for: .replacing(tokens), waitingUpTo: configuration.lockWait)
            } catch {
                coordinator.pauses.failedEarly(stored.id, with: IdentityError.wrapping(error))
                throw error
            }
        }
        return nil
    }

    /// What the session lets a cart know of the buyer, from tokens that are good for at least as long as asked.
    ///
    /// - Throws: ``IdentityError``.
    public func cartClaim(
        for id: SessionID,
        validFor duration: Duration? = nil
    ) async throws -> (claim: CartClaim, session: Session) {
        try await Correlation.scope {
            do {
                return try await withTokens(id, duration) { provider, tokens in
                    guard let claiming = provider as? any CartClaimProviding else { return CartClaim.none }
                    return try await claiming.cartClaim(for: tokens)
                }
            } catch let error as IdentityError where error.code == .notSignedIn {
                // A guest's cart is a guest's; that is no failure.
                return (.none, try await session(id))
            }
        }
    }

    /// The buyer's profile, asked of the provider; what the login verified, where the provider has no profile to ask for.
    ///
    /// - Throws: ``IdentityError``.
    public func buyerProfile(for id: SessionID) async throws -> Buyer {
        try await Correlation.scope {
            try await withTokens(id, nil) { provider, tokens in
                guard let profiles = provider as? any BuyerProfileProviding else { return tokens.buyer }
                return try await profiles.buyerProfile(for: tokens)
            }.0
        }
    }

    /// Renews a session's tokens now, whatever their age; for a token that was refused before its time.
    ///
    /// - Throws: ``IdentityError``.
    public func renewTokens(for id: SessionID) async throws -> SessionTokens {
        try await Correlation.scope {
            try await renewed(id, replacing: try SessionPayload(try await load(id)).tokens)
        }
    }

    /// Runs a call with a session's access token; where the provider refuses the token, renews once and runs it again.
    private func withTokens<Value: Sendable>(
        _ id: SessionID,
        _ duration: Duration?,
        _ body: (any IdentityProvider, TokenSet) async throws -> Value
    ) async throws -> (Value, Session) {
        let ticket = cache?.ticket
        let stored = try await load(id)
        let first = try await tokens(of: stored, validFor: duration, ticket: ticket)
        let provider = try providers.provider(named: first.session.provider)
        do {
            return (try await body(provider, first.tokens), first.session)
        } catch let error as IdentityError
            where error.code == .accessTokenRefused && first.session.isRefreshable
            && first.outcome != .renewedEarly && first.outcome != .renewedLate
        {
            // Who comes late gets what others have renewed meanwhile.
            let second = try await renewed(id, replacing: first.tokens)
            return (try await body(provider, second.tokens), second.session)
        }
    }

    /// Other tokens than these, got by a renewal of ours or of somebody else.
    private func renewed(_ id: SessionID, replacing tokens: TokenSet) async throws -> SessionTokens {
        let begun = environment.clock.elapsed
        var stale = tokens
        while true {
            let (renewal, started): (Renewal, Bool)
            do {
                (renewal, started) = try await renewals.run(id) { [self, stale] in
                    try await renew(id, for: .replacing(stale), waitingUpTo: configuration.lockWait)
                }
            } catch {
                throw IdentityError.wrapping(error)
            }
            let found = renewal.payload.tokens
            let outcome = started ? renewal.outcome : .waited
            let hasExpired = coordinator.ages.hasExpired(found, of: id)
            if hasExpired, coordinator.unsavedSessions.contains(id) { throw expiredUnsaved(id) }
            // Whom we joined may have been after something else, such as settling a doubt, or may have ended long ago. Tokens that a
            // renewal has just got are the best that there are.
            let isGood = !found.isSameIssue(as: stale) && (!hasExpired || coordinator.ages.isFresh(found, of: id))
            if outcome != .waited || isGood {
                return handOut(renewal.payload, of: renewal.stored, outcome)
            }
            stale = found
            guard environment.clock.elapsed - begun < configuration.lockWait else {
                throw IdentityError.renewalTakesLong
            }
        }
    }

    private func expiredUnsaved(_ id: SessionID) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeFailed,
            "The session's newest tokens have expired before they could be saved.",
            hint: coordinator.warning(for: id)?.hint
                ?? "Nothing is renewed while the store takes no writes. The tokens are stored durably and wait for it."
        )
    }

    /// How long a token still lives when it is old enough to be renewed early; sessions differ by a hash, so that they do not come in
    /// herds.
    ///
    /// - Returns: Less than nothing for a token that cannot be renewed: it is never due.
    private func remainingWhenDue(_ tokens: TokenSet, _ id: SessionID) -> Duration {
        guard tokens.refreshToken != nil, let expiresAt = tokens.expiresAt else { return .seconds(-1) }
        let lifetime = TokenAges.duration(expiresAt.timeIntervalSince(tokens.issuedAt))
        let spread = id.rawValue.utf8.reduce(into: UInt32(0)) { $0 = $0 &* 31 &+ UInt32($1) } % 100
        let share = min(configuration.earlyRenewal - 0.05 + Double(spread) / 1000, 0.98)
        return lifetime > .zero ? lifetime * (1 - share) : .seconds(-1)
    }
}
