/// The data of one run of a ``RefreshStateMachine``: the session as last loaded or saved, and the values for the report at the end.
struct RefreshAttempt: Sendable {
    let id: SessionID
    /// The session's lock.
    let lock: HeldLock
    let started: Duration
    /// The session as it was loaded or saved last.
    var stored: StoredSession?
    /// The generation with which the attempt began, or that it saved last; a later one is the work of another process.
    var ownGeneration: Int64?
    /// The tokens with which the attempt began.
    var old: TokenSet?
    /// The session's provider; nil until a request is prepared.
    var provider: (any IdentityProvider)?
    /// The permit of the provider's limiter; nil if no request is needed, and while a pause or a full queue permits none.
    var permit: CircuitBreaker.Permit?
    var observation = ProviderRefreshLimiter.Observation.nothing
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

    /// Whether the provider's limiter permitted this attempt to send requests, so that the observers are told if it fails.
    var isPermitted: Bool { permit != nil }

    func storedSession() throws(IdentityError) -> StoredSession {
        guard let stored else { throw .unknownSession }
        return stored
    }
}
