/// Runs one ``RefreshStateMachine`` under the session's lock, and reports the outcome to the observers.
struct RefreshRun: SessionService {
    let context: SessionContext
    let id: SessionID
    let lock: HeldLock
    /// When the refresh began, in monotonic time; a refresh can have several runs.
    let started: Duration
    var machine: RefreshStateMachine
    /// The session as it was loaded or saved last.
    var stored: StoredSession?
    /// The session's generation that this run saved last, or loaded first if it has saved none; nil before the first load.
    var ownGeneration: Int64?
    var permit: CircuitBreaker.Permit?
    var observation = ProviderRefreshLimiter.Observation.nothing
    /// If true, the observers know about the login mismatch, and the end of the run does not report it again.
    var hasReportedLoginMismatch = false
    /// Whether the old tokens had expired when this run first tried to save new tokens; nil before that attempt.
    var tokenOutcome: TokenOutcome?

    var memory: RefreshMemory { context.refreshMemory }

    /// The tokens that this run replaces; nil before the first load, and for a session without tokens.
    var old: TokenSet? { machine.baseState?.tokens }

    /// Whether the ``ProviderRefreshLimiter`` permitted this run to send requests.
    ///
    /// The end of a run without a permit reports no failed refresh, because during an outage each call would cause an event.
    var isPermitted: Bool { permit != nil }

    func storedSession() throws(IdentityError) -> StoredSession {
        guard let stored else { throw .unknownSession }
        return stored
    }

    /// Performs the actions of the state machine until it finishes; `wait` is how long this task waited for the lock.
    mutating func run(afterWait wait: Duration) async -> RefreshOutcome {
        // If the newest tokens are only in this process's memory, another process must not send the old refresh token. So this process
        // keeps the lock after the run, if the store's locks permit it.
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
            // Every call finds unsaved tokens again. Their recovery is reported only once, when they are saved.
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
