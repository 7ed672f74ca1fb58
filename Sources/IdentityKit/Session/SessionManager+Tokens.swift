internal import FoundationEssentials
internal import Synchronization

extension SessionManager {
    /// A session's tokens, good for at least as long as asked, renewed first where that is needed.
    ///
    /// However many tasks ask, the refresh token is spent once. A caller who is cancelled does not cancel the renewal. When
    /// the provider is down, the old token is handed out for as long as it lasts.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - duration: How long the access token should still be valid, by default 60 seconds.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/signInAgain`` when only a new login helps.
    public func tokens(for id: SessionID, validFor duration: Duration = .seconds(60)) async throws -> SessionTokens {
        try await Correlation.scope {
            let stored = try await load(id)
            return try await tokens(of: stored, validFor: duration)
        }
    }

    private func tokens(of stored: StoredSession, validFor duration: Duration) async throws -> SessionTokens {
        let payload = try SessionPayload(stored)
        try Self.checkAlive(payload)
        let now = environment.clock.now
        func asStored(_ outcome: TokenOutcome) -> SessionTokens {
            SessionTokens(session: Session(stored, payload), tokens: payload.tokens, outcome: outcome)
        }
        guard let expiresAt = payload.tokens.expiresAt else { return asStored(.stored) }
        if expiresAt >= now + duration.timeInterval {
            if isDueEarly(payload.tokens, stored.id, now) { renewEarly(stored) }
            return asStored(.stored)
        }
        do {
            return try await renewed(stored.id, from: stored.generation)
        } catch let error as IdentityError
            where error.kind != .signInAgain && error.kind != .cancelled && expiresAt > now
        {
            // An outage, or a fault of ours, signs nobody out while the old token lasts.
            return asStored(.stillValid)
        } catch let error as IdentityError where error.code == .notRefreshable && expiresAt > now {
            return asStored(.stillValid)
        }
    }

    /// Renews behind the caller's back; after a failure not again for a while, for the token is still good.
    private func renewEarly(_ stored: StoredSession) {
        let id = stored.id
        let now = environment.clock.elapsed
        let isQuiet = earlyFailures.withLock { failures in
            guard let until = failures[id] else { return false }
            if until <= now { failures[id] = nil }
            return until > now
        }
        guard !isQuiet else { return }
        renewals.start(id) { [self] in
            do {
                return try await renew(id, from: stored.generation)
            } catch {
                let pause = max(IdentityError.wrapping(error).retryAfter ?? .zero, .seconds(30))
                earlyFailures.withLock { failures in
                    // Bounded: what is forgotten too early costs one request.
                    if failures.count >= 10_000 { failures = failures.filter { $0.value > environment.clock.elapsed } }
                    if failures.count < 10_000 { failures[id] = environment.clock.elapsed + pause }
                }
                throw error
            }
        }
    }

    /// What the session lets a cart know of the buyer, from tokens that are good for at least as long as asked.
    ///
    /// - Throws: ``IdentityError``.
    public func cartClaim(
        for id: SessionID,
        validFor duration: Duration = .seconds(60)
    ) async throws -> (claim: CartClaim, session: Session) {
        try await Correlation.scope {
            try await withTokens(id, duration) { provider, tokens in
                guard let claiming = provider as? any CartClaimProviding else { return CartClaim.none }
                return try await claiming.cartClaim(for: tokens)
            }
        }
    }

    /// The buyer's profile, asked of the provider; what the login verified, where the provider has no profile to ask for.
    ///
    /// - Throws: ``IdentityError``.
    public func buyerProfile(for id: SessionID) async throws -> Buyer {
        try await Correlation.scope {
            try await withTokens(id, .seconds(60)) { provider, tokens in
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
            try await renewed(id, from: try await load(id).generation)
        }
    }

    /// Runs a call with a session's access token; where the provider refuses the token, renews once and runs it again.
    private func withTokens<Value: Sendable>(
        _ id: SessionID,
        _ duration: Duration,
        _ body: (any IdentityProvider, TokenSet) async throws -> Value
    ) async throws -> (Value, Session) {
        let stored = try await load(id)
        let first = try await tokens(of: stored, validFor: duration)
        let provider = try providers.provider(named: first.session.provider)
        do {
            return (try await body(provider, first.tokens), first.session)
        } catch let error as IdentityError
            where error.code == .accessTokenRefused && first.session.isRefreshable
            && first.outcome != .renewedEarly && first.outcome != .renewedLate
        {
            // From the generation whose token was refused: who comes late gets what others have renewed meanwhile.
            let refused = first.outcome == .waited ? try await load(id).generation : stored.generation
            let second = try await renewed(id, from: refused)
            return (try await body(provider, second.tokens), second.session)
        }
    }

    private func renewed(_ id: SessionID, from generation: Int64) async throws -> SessionTokens {
        let (renewal, started): (Renewal, Bool)
        do {
            (renewal, started) = try await renewals.run(id) { [self] in try await renew(id, from: generation) }
        } catch {
            throw IdentityError.wrapping(error)
        }
        return SessionTokens(
            session: Session(renewal.stored, renewal.payload),
            tokens: renewal.payload.tokens,
            outcome: started ? renewal.outcome : .waited
        )
    }

    /// Whether a token has lived long enough to be renewed early; sessions differ by a hash, so that they do not come in herds.
    private func isDueEarly(_ tokens: TokenSet, _ id: SessionID, _ now: Date) -> Bool {
        guard tokens.refreshToken != nil, let expiresAt = tokens.expiresAt else { return false }
        let lifetime = expiresAt.timeIntervalSince(tokens.issuedAt)
        let spread = id.rawValue.utf8.reduce(into: UInt32(0)) { $0 = $0 &* 31 &+ UInt32($1) } % 100
        let share = configuration.earlyRenewal + Double(spread) / 1000
        return lifetime > 0 && now.timeIntervalSince(tokens.issuedAt) > lifetime * min(share, 0.98)
    }

    static func checkAlive(_ payload: SessionPayload) throws(IdentityError) {
        guard payload.needsLogin else { return }
        throw IdentityError(
            .signInAgain,
            .sessionEnded,
            "The provider has ended this session.",
            hint: "Let the buyer sign in again."
        )
    }
}
