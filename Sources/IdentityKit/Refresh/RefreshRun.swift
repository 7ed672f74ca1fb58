/// One run of a ``RefreshStateMachine`` under the session's lock, which one task, process or machine at a time holds.
///
/// It performs the actions of the state machine (`RefreshRun+Actions.swift`), and reports the outcome to the observers. All I/O of a run
/// is here, and in ``UnsavedTokens`` for the spool.
struct RefreshRun: SessionService {
    let context: SessionContext
    let id: SessionID
    let lock: HeldLock
    /// When the refresh began; it may consist of several runs.
    let started: Duration
    var machine: RefreshStateMachine
    /// The session as it was loaded or saved last.
    var stored: StoredSession?
    /// The session's generation that this run saved last; before its first save, the one that it loaded first; nil before that.
    ///
    /// If the store has a later generation, another process saved it.
    var ownGeneration: Int64?
    /// The permit of the provider's limiter; nil until the limiter has granted one.
    var permit: CircuitBreaker.Permit?
    var observation = ProviderRefreshLimiter.Observation.nothing
    /// Whether the observers were told, by this or an earlier run, that the response belongs to another login.
    var hasReportedLoginMismatch = false
    /// Whether the old tokens were replaced before or after they had expired; nil before the first save of new tokens.
    ///
    /// After a conflict, the new tokens are saved a second time. If the old tokens expired meanwhile, the outcome must not change.
    var tokenOutcome: TokenOutcome?

    var memory: RefreshMemory { context.refreshMemory }

    /// The tokens that this run replaces; nil before the first load, and for a session without tokens.
    var old: TokenSet? { machine.baseState?.tokens }

    /// Whether the provider's ``ProviderRefreshLimiter`` permitted this run to send requests.
    ///
    /// The failure of a run without a permit, for example during a pause, is not reported as a failed refresh: it sent no refresh token.
    /// Otherwise each call during an outage would cause an event.
    var isPermitted: Bool { permit != nil }

    func storedSession() throws(IdentityError) -> StoredSession {
        guard let stored else { throw .unknownSession }
        return stored
    }

    /// Performs the actions of the state machine until it finishes, and reports its outcome.
    ///
    /// - Parameter wait: How long this task waited for the lock.
    /// - Returns: The outcome.
    mutating func run(afterWait wait: Duration) async -> RefreshOutcome {
        // While only this process's memory contains the newest tokens, this process keeps the lock after the run, if the store's locks
        // permit it. Otherwise another process could get the lock and send the old refresh token.
        defer { if unsaved.warning(for: id) != nil { lock.keepAfterBody() } }
        let load = machine.handle(.began)
        var action = machine.handle(await perform(load))
        // The provider is known only now, because the first action reads the session.
        if wait > .milliseconds(10) {
            events.emit(.lockWaited, provider: stored?.provider ?? "", session: id, since: clock.elapsed - wait)
        }
        while true {
            if case .finish(let outcome) = action {
                leaveLimiter()
                report(outcome)
                return outcome
            }
            action = machine.handle(await perform(action))
        }
    }

    private func leaveLimiter() {
        guard let permit, let provider = stored?.provider else { return }
        if let event = memory.limiter(of: provider).leave(permit, after: observation) {
            events.emit(event, provider: provider)
        }
    }

    private func report(_ outcome: RefreshOutcome) {
        switch outcome {
        case .startAgain, .wait: break
        case .alreadyRefreshed: if isPermitted { memory.pauses.succeeded(id) }
        case .refreshed(_, let isFromEarlierRefresh):
            // While new tokens cannot be saved, every call finds them again. Their recovery is reported once, when they are saved.
            guard !isFromEarlierRefresh || unsaved[id] == nil else { return }
            memory.pauses.succeeded(id)
            if isFromEarlierRefresh || machine.isInDoubt { emit(.refreshRepaired) }
            emit(.refreshed(tokenOutcome ?? .refreshedEarly))
        case .failed(let error, let pausesSession):
            if pausesSession { memory.pauses.failed(id, with: error) }
            guard isPermitted, !hasReportedLoginMismatch else { return }
            emit(.refreshFailed(error.code), because: error)
        }
    }

    func emit(_ event: IdentityEvent.Kind, because error: IdentityError? = nil) {
        guard let provider = stored?.provider else { return }
        events.emit(event, provider: provider, session: id, since: started, because: error)
    }
}
