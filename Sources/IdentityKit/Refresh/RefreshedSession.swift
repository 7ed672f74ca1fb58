/// A session after a refresh, with its tokens; one object for all callers who share the refresh.
final class RefreshedSession: Sendable {
    let session: Session
    let tokens: TokenSet
    let outcome: TokenOutcome
    /// Whether an earlier attempt, in this process or in a crashed one, got the tokens from the provider.
    let isRecovered: Bool

    init(_ session: Session, _ tokens: TokenSet, _ outcome: TokenOutcome, isRecovered: Bool) {
        self.session = session
        self.tokens = tokens
        self.outcome = outcome
        self.isRecovered = isRecovered
    }
}
