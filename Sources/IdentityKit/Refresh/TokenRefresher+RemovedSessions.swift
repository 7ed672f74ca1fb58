/// The work for sessions that were removed from the store.
extension TokenRefresher {
    /// Revokes the tokens in memory and in the spool of a removed session, because no other process has them.
    ///
    /// They stay there if the task is cancelled, and while a response cannot be validated.
    func revokeUnsaved(_ id: SessionID) async {
        if let entry = await unsaved.peek(id) {
            do {
                if let tokens = try await tokens(in: entry.state, of: entry.session) {
                    let failure = await revocation.revoke(tokens, of: Session(entry.session, entry.state))
                    guard failure?.kind != .cancelled else { return }
                }
            } catch {
                guard
                    error is RefreshRefusal || ![.retryLater, .cancelled].contains(IdentityError.wrapping(error).kind)
                else { return }
            }
        }
        _ = await unsaved.take(id)
    }

    /// The newest state of a removed session, even if it is not saved yet.
    ///
    /// There are two if the row contains another machine's response: the second one is the newest if that response contains no token.
    func newestStates(ofRemoved session: StoredSession, _ state: SessionState) async -> [SessionState] {
        let entry = await unsaved.take(session.id)
        guard let stored = state.tokens, let entry else { return [state] }
        switch Result(catching: { try entry.isNewer(than: session, replacing: stored) }) {
        case .success(true): return [entry.state]
        case .success(nil): return [state, entry.state]
        default: return [state]
        }
    }

    /// The tokens to revoke of a removed session, from its ``newestStates(ofRemoved:_:)``.
    ///
    /// They do not include the old refresh token if a response to it belongs to another login: that token must not be sent again, not
    /// even in a revocation.
    func lastTokens(in states: [SessionState], of session: StoredSession) async -> TokenSet? {
        guard case .responded(var old, let response)? = states.first else { return states.first?.tokens }
        do {
            return try await provider(of: session).validated(response, of: old)
        } catch {
            // Unsaved tokens are newer than the old ones, also if the response contains even newer ones that cannot be validated now.
            if states.count > 1, error is RefreshRefusal || states[1].response == nil {
                return await lastTokens(in: Array(states.dropFirst()), of: session)
            }
            if states.contains(where: { $0.mismatch != nil }) || IdentityError.wrapping(error).isAttackSuspected {
                old.refreshToken = nil
            }
            return old
        }
    }

    /// The tokens of a state, including the tokens in a response that is not validated yet.
    private func tokens(in state: SessionState, of session: StoredSession) async throws -> TokenSet? {
        guard case .responded(let old, let response) = state else { return state.tokens }
        return try await provider(of: session).validated(response, of: old)
    }

    private func provider(of session: StoredSession) throws(IdentityError) -> any IdentityProvider {
        try visible.providers.provider(ofStored: session.provider, tenant: session.tenant)
    }
}
