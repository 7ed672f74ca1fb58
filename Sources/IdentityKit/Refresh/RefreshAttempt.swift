/// One run of a ``RefreshStateMachine``: the row that was last loaded or saved, and the data for the report at the end.
struct RefreshAttempt: Sendable {
    let id: SessionID
    /// The session's lock.
    let lock: HeldLock
    let started: Duration
    /// The row as it was loaded or saved last, with its state.
    var stored: StoredSession?
    var state: SessionState?
    /// The tokens with which the attempt began.
    var old: TokenSet?
    /// Set once the attempt concerns the provider.
    var provider: (any IdentityProvider)?
    var permit: CircuitBreaker.Permit?
    var observation = RefreshLimiter.Observation.nothing
    /// Whether observers know of the mismatch with which the attempt ends.
    var hasReportedMismatch = false
    /// Whether the schedule knows the new tokens.
    var isNoted = false
    /// Whether the tokens were replaced before or after they had expired.
    var outcome = TokenOutcome.refreshedEarly

    init(_ id: SessionID, under lock: HeldLock, since started: Duration) {
        self.id = id
        self.lock = lock
        self.started = started
    }

    /// Whether the refresh token is, or was, about to be sent.
    var hasPrepared: Bool { provider != nil }

    func row() throws(IdentityError) -> StoredSession {
        guard let stored else { throw .unknownSession }
        return stored
    }
}
