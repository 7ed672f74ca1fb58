/// The data of one run of a ``RefreshStateMachine``: the session as last loaded or saved, and the values for the report at the end.
struct RefreshAttempt: Sendable {
    let id: SessionID
    let lock: HeldLock
    let started: Duration
    /// The session as it was loaded or saved last.
    var stored: StoredSession?
    /// The session's generation that this attempt saved last; before its first save, the one that it loaded first; nil before that.
    ///
    /// If the store has a later generation, another process saved it.
    var ownGeneration: Int64?
    /// The tokens with which the attempt began; nil before the first load, and for a session without tokens.
    var old: TokenSet?
    /// The session's provider; nil until a request is prepared.
    var provider: (any IdentityProvider)?
    /// The permit of the provider's limiter; nil until the limiter has granted one.
    var permit: CircuitBreaker.Permit?
    var observation = ProviderRefreshLimiter.Observation.nothing
    /// Whether the observers were told, by this or an earlier attempt, that the response belongs to another login.
    var hasReportedLoginMismatch = false
    /// Whether ``outcome`` was set for the new tokens.
    ///
    /// After a conflict, the new tokens are saved a second time. If the old tokens expired meanwhile, the outcome must not change.
    var isOutcomeRecorded = false
    /// Whether the old tokens were replaced before or after they had expired.
    var outcome = TokenOutcome.refreshedEarly

    /// Whether the provider's ``ProviderRefreshLimiter`` permitted this attempt to send requests.
    ///
    /// The failure of an attempt without a permit is not reported to the observers. Otherwise each call during an outage would cause an
    /// event.
    var isPermitted: Bool { permit != nil }

    func storedSession() throws(IdentityError) -> StoredSession {
        guard let stored else { throw .unknownSession }
        return stored
    }
}
