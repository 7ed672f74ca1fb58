internal import FoundationEssentials

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
            let payload = try SessionPayload(stored)
            try Self.checkAlive(payload)
            let now = environment.clock.now
            guard let expiresAt = payload.tokens.expiresAt else {
                return SessionTokens(session: Session(stored, payload), tokens: payload.tokens, outcome: .stored)
            }
            if expiresAt >= now + duration.timeInterval {
                if isDueEarly(payload.tokens, id, now) {
                    renewals.start(id) { [self] in try await renew(id, from: stored.generation) }
                }
                return SessionTokens(session: Session(stored, payload), tokens: payload.tokens, outcome: .stored)
            }
            do {
                return try await renewed(id, from: stored.generation)
            } catch let error as IdentityError
                where error.kind != .signInAgain && error.kind != .cancelled && expiresAt > now
            {
                // An outage, or a fault of ours, signs nobody out while the old token lasts.
                return SessionTokens(session: Session(stored, payload), tokens: payload.tokens, outcome: .stillValid)
            } catch let error as IdentityError where error.code == .notRefreshable && expiresAt > now {
                return SessionTokens(session: Session(stored, payload), tokens: payload.tokens, outcome: .stillValid)
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
        let first = try await tokens(for: id, validFor: duration)
        let provider = try providers.provider(named: first.session.provider)
        do {
            return (try await body(provider, first.tokens), first.session)
        } catch let error as IdentityError
            where error.code == .accessTokenRefused && first.session.isRefreshable
            && first.outcome != .renewedEarly && first.outcome != .renewedLate
        {
            let second = try await renewTokens(for: id)
            return (try await body(provider, second.tokens), second.session)
        }
    }

    private func renewed(_ id: SessionID, from generation: Int64) async throws -> SessionTokens {
        let (renewal, started) = try await renewals.run(id) { [self] in try await renew(id, from: generation) }
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
