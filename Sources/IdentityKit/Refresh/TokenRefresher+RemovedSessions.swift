extension TokenRefresher {
    /// Revokes the tokens that memory or the spool contains for a removed or expired session, and then removes them there.
    ///
    /// The tokens are kept if the task is cancelled, if the spool cannot be read, or if the validation of a response may succeed later.
    /// After a failed revocation (event `revocation_failed`) they are removed, because the SDK does not repeat revocations.
    func revokeUnsaved(_ id: SessionID) async {
        let entry: UnsavedTokens.Entry?
        do {
            entry = try await unsaved.peek(id)
        } catch {
            events.emit(.storeFailed(IdentityError.code(of: error)), provider: "", session: id)
            return
        }
        do {
            if let entry, let tokens = try await tokens(in: entry.state, of: entry.session) {
                let failure = await revocation.revoke(tokens, of: Session(entry.session, entry.state))
                guard failure?.kind != .cancelled else { return }
            }
        } catch {
            guard error is RefreshRefusal || ![.retryLater, .cancelled].contains(IdentityError.wrapping(error).kind)
            else { return }
        }
        _ = await unsaved.take(id)
    }

    /// Returns the newest state of a session that was removed from the store, and removes its state from memory and the spool.
    ///
    /// If another machine stored a later response, the result has two states: first the stored state with this response, then the state
    /// from memory or the spool. The second state is the newest if the response contains no token.
    func newestStates(ofRemoved session: StoredSession, _ state: SessionState) async -> [SessionState] {
        let entry = await unsaved.take(session.id)
        guard let stored = state.tokens, let entry else { return [state] }
        switch try? entry.age(comparedWith: session, stored) {
        case .newer: return [entry.state]
        case .unknown: return [state, entry.state]
        case .older, nil: return [state]
        }
    }

    /// The tokens to revoke for a removed session, from its ``newestStates(ofRemoved:_:)``.
    ///
    /// If no newer tokens can be validated, the old tokens are returned. If a response belongs to another login, they are returned without
    /// their refresh token, because the old refresh token must not be sent again, not even in a revocation.
    func lastTokens(in states: [SessionState], of session: StoredSession) async -> TokenSet? {
        guard case .responded(var old, let response)? = states.first else { return states.first?.tokens }
        do {
            return try await provider(of: session).validated(response, of: old)
        } catch {
            // The unsaved state is used if the stored response has no token. If the validation failed in another way, the unsaved state is
            // used only if it has tokens that need no validation.
            if states.count > 1, error is RefreshRefusal || states[1].response == nil {
                return await lastTokens(in: Array(states.dropFirst()), of: session)
            }
            if states.contains(where: { $0.loginMismatch != nil }) || IdentityError.wrapping(error).isAttackSuspected {
                old.refreshToken = nil
            }
            return old
        }
    }

    private func tokens(in state: SessionState, of session: StoredSession) async throws -> TokenSet? {
        guard case .responded(let old, let response) = state else { return state.tokens }
        return try await provider(of: session).validated(response, of: old)
    }
}
