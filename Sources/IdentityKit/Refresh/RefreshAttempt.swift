/// The data of one run of a ``RefreshStateMachine``: the session as last loaded or saved, and the values for the report at the end.
struct RefreshAttempt: Sendable {
    let id: SessionID
    /// The session's lock.
    let lock: HeldLock
    let started: Duration
    /// The session as it was loaded or saved last.
    var stored: StoredSession?
    /// The tokens with which the attempt began.
    var old: TokenSet?
    /// The session's provider; set when the preparation of the request begins.
    var provider: (any IdentityProvider)?
    var permit: CircuitBreaker.Permit?
    var observation = RefreshLimiter.Observation.nothing
    /// Whether the observers were told that the response belongs to another login.
    var hasReportedMismatch = false
    /// Whether the new tokens have been recorded in ``RefreshSchedule``.
    var isNoted = false
    /// Whether the old tokens were replaced before or after they had expired.
    var outcome = TokenOutcome.refreshedEarly

    init(_ id: SessionID, under lock: HeldLock, since started: Duration) {
        self.id = id
        self.lock = lock
        self.started = started
    }

    /// Whether the preparation of a request has begun, after which the refresh token may be sent.
    var hasPrepared: Bool { provider != nil }

    func row() throws(IdentityError) -> StoredSession {
        guard let stored else { throw .unknownSession }
        return stored
    }
}
