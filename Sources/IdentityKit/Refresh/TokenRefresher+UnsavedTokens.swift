/// What the other parts of a ``SessionManager`` ask about refreshes and about tokens that are not saved.
extension TokenRefresher {
    /// How long refreshes at a provider are still paused; nil while they are permitted.
    func pause(of provider: String) -> Duration? { memory.limiter(of: provider).pause }

    /// The sessions whose newest tokens exist in this process's memory only.
    var sessionsNotDurable: Set<SessionReference> { Set(unsaved.sessionsNotDurable.map(\.reference)) }

    /// A warning that the newest tokens of a session are in this process's memory only; nil if they are stored durably.
    func warning(for id: SessionID) -> IdentityError? { unsaved.warning(for: id) }

    /// The new tokens of a session that are not saved yet, with the session as it would have been saved; nil if this process has none, or
    /// has only an unsaved response.
    func unsavedTokens(of id: SessionID) -> (session: StoredSession, tokens: TokenSet)? {
        guard let entry = unsaved[id], case .active(let tokens) = entry.state else { return nil }
        return (entry.session, tokens)
    }

    /// Whether this process has new tokens, or an unsaved response, for a session.
    func hasUnsavedState(of id: SessionID) -> Bool { unsaved[id] != nil }

    /// Whether this process has new tokens, or an unsaved response, that replace these tokens.
    func hasUnsavedState(of id: SessionID, replacing tokens: TokenSet) -> Bool {
        unsaved[id]?.replaces(tokens) ?? false
    }

    /// The not yet accepted response to a refresh of these tokens, from this process's memory or from the store; nil without a response.
    func pendingResponse(to tokens: TokenSet, of stored: StoredSession, _ state: SessionState) -> RefreshResponse? {
        unsaved.pendingResponse(to: tokens, of: stored, state)
    }
}
