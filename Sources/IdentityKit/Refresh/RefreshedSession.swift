/// A session after a refresh, with its tokens; one object for all callers who share the refresh.
final class RefreshedSession: Sendable {
    let stored: StoredSession
    let session: Session
    let tokens: TokenSet
    let outcome: TokenOutcome
    /// Whether an earlier attempt, in this process or in a crashed one, got the tokens from the provider.
    let isRecovered: Bool

    init(
        _ stored: StoredSession,
        _ state: SessionState,
        _ tokens: TokenSet,
        _ outcome: TokenOutcome,
        isRecovered: Bool = false
    ) {
        self.stored = stored
        session = Session(stored, state)
        self.tokens = tokens
        self.outcome = outcome
        self.isRecovered = isRecovered
    }
}

extension TokenSet {
    /// Whether both are from the same answer of the provider.
    func isSameIssue(as other: TokenSet) -> Bool {
        guard accessToken.isEqual(to: other.accessToken) else { return false }
        switch (refreshToken, other.refreshToken) {
        case (nil, nil): return true
        case (let ours?, let theirs?): return ours.isEqual(to: theirs)
        default: return false
        }
    }
}
