/// What is done for sessions that are gone from the store.
extension TokenRefresher {
    /// Looks through the spool, and revokes what belongs to sessions that are gone.
    ///
    /// - Returns: The sessions for which something is kept, in memory or in the spool.
    func sessionsToSettle() async throws -> Set<SessionID> {
        var ids = unsaved.sessions
        for id in try await unsaved.spooledSessions() {
            if try await store.session(id) != nil {
                ids.insert(id)
            } else {
                await discardUnsaved(id)
            }
        }
        return ids
    }

    /// Revokes what is kept for a session that is gone: nobody else has these tokens.
    func discardUnsaved(_ id: SessionID) async {
        guard let entry = await unsaved.take(id), let tokens = await tokens(in: entry.state, entry.session.provider)
        else { return }
        _ = await revocation.revoke(tokens, of: Session(entry.session, entry.state))
    }

    /// The newest tokens of a session that has been removed, also where they were not saved yet.
    ///
    /// Without the old refresh token if an answer to it belongs to another login: nothing may send it again, not even a revocation.
    func newestTokens(ofRemoved session: StoredSession, _ state: SessionState) async -> TokenSet? {
        let entry = await unsaved.take(session.id)
        guard var old = state.tokens else { return nil }
        var newest = state
        if let entry, entry.replaces(old) { newest = entry.state }
        guard case .answered(_, let answer) = newest else { return newest.tokens }
        do {
            return try await validated(answer, of: old, session.provider)
        } catch {
            if answer.verdict != nil || IdentityError.wrapping(error).isAttackSuspected { old.refreshToken = nil }
            return old
        }
    }

    /// The tokens of a state; of an answer that was not validated yet, those in it.
    private func tokens(in state: SessionState, _ provider: String) async -> TokenSet? {
        guard case .answered(let old, let answer) = state else { return state.tokens }
        return try? await validated(answer, of: old, provider)
    }
}
