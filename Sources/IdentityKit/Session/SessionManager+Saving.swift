internal import FoundationEssentials
internal import Synchronization

/// New tokens that could not be saved yet, and the tokens that they replace.
struct UnsavedTokens: Sendable {
    let tokens: TokenSet
    let old: SessionPayload
}

extension SessionManager {
    /// Saves new tokens over the row that they were got for.
    ///
    /// What decides is whether the row still holds the tokens that were spent, not who holds the claim: of two processes
    /// that spent one refresh token the one with an answer has the only good one. When the store fails, the tokens are
    /// kept in memory for the next attempt, for they exist nowhere else.
    func promote(_ tokens: TokenSet, over claimed: StoredSession, was old: SessionPayload) async throws -> Renewal {
        var base = claimed
        do {
            while true {
                let now = environment.clock.now
                let payload = SessionPayload(tokens: tokens)
                var renewed = base
                renewed.generation += 1
                renewed.providerSessionID = tokens.providerSessionID
                renewed.retainedUntil = now + configuration.sessionRetention.timeInterval
                renewed.payload = payload.secret
                if try await persist(renewed, over: base.generation) {
                    let wasValid = old.tokens.expiresAt.map { $0 > now } ?? true
                    return Renewal(stored: renewed, payload: payload, outcome: wasValid ? .renewedEarly : .renewedLate)
                }
                guard let current = try await store.session(claimed.id) else { break }
                let found = try SessionPayload(current)
                guard found.tokens.isSameIssue(as: old.tokens) else {
                    return Renewal(stored: current, payload: found, outcome: .waited)
                }
                base = current
            }
        } catch {
            unsaved.withLock { $0[claimed.id] = UnsavedTokens(tokens: tokens, old: old) }
            throw error
        }
        // Logout won: what came back late does not bring the session back, and is known to nobody who could give it back.
        _ = await revoke(tokens, of: Session(claimed, SessionPayload(tokens: tokens)))
        throw Self.unknownSession
    }

    /// Saves what an earlier renewal could not, instead of spending a token that is spent.
    func rescue(_ id: SessionID, _ stored: StoredSession, _ payload: SessionPayload) async throws -> Renewal? {
        guard let waiting = unsaved.withLock({ $0.removeValue(forKey: id) }) else { return nil }
        guard payload.tokens.isSameIssue(as: waiting.old.tokens) else { return nil }
        return try await promote(waiting.tokens, over: stored, was: waiting.old)
    }

    /// Saves the new tokens, which exist nowhere else: a store that fails is asked again for a while.
    private func persist(_ renewed: StoredSession, over generation: Int64) async throws -> Bool {
        var attempt = 0
        while true {
            do {
                return try await store.replace(renewed, expecting: generation)
            } catch {
                // An error of a commit does not mean that nothing was committed: read before judging.
                if let current = try? await store.session(renewed.id), current.payload.isEqual(to: renewed.payload) {
                    return true
                }
                attempt += 1
                guard attempt < 6 else { throw error }
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
