internal import FoundationEssentials

/// The steps of a refresh under the session's lock, which one task, process or machine at a time holds.
extension TokenRefresher {
    /// Takes the session's lock, performs the actions of a state machine until it finishes, and reports its outcome.
    func runStateMachine(
        _ id: SessionID,
        for goal: RefreshGoal,
        since started: Duration,
        until deadline: Duration
    ) async throws -> (RefreshOutcome, RefreshAttempt) {
        let beganWaiting = clock.elapsed
        let longestWait = max(deadline - beganWaiting, .zero)
        return try await visible.store.withSessionLock(id, waitingUpTo: longestWait) { [self] lock in
            let wait = clock.elapsed - beganWaiting
            var isWaitReported = wait <= .milliseconds(10)
            // While only this process's memory contains the newest tokens, this process keeps the lock after the body, if the store's
            // locks permit it. Otherwise another process could get the lock and send the old refresh token.
            defer { if unsaved.warning(for: id) != nil { lock.keepAfterBody() } }
            var machine = RefreshStateMachine(goal, provesPreviousHolderGone: lock.provesPreviousHolderGone)
            var attempt = RefreshAttempt(id: id, lock: lock, started: started)
            var action = machine.handle(.began)
            while true {
                if case .finish(let outcome) = action {
                    leaveLimiter(attempt)
                    report(outcome, attempt, wasInDoubt: machine.isInDoubt)
                    return (outcome, attempt)
                }
                action = machine.handle(await perform(action, &attempt))
                // The provider is known only now, because the first action reads the session.
                if !isWaitReported {
                    let provider = attempt.stored?.provider ?? ""
                    events.emit(.lockWaited, provider: provider, session: id, since: clock.elapsed - wait)
                    isWaitReported = true
                }
            }
        }
    }

    private func leaveLimiter(_ attempt: RefreshAttempt) {
        guard let permit = attempt.permit, let provider = attempt.stored?.provider else { return }
        if let change = memory.limiter(of: provider).leave(permit, after: attempt.observation) {
            events.emit(.breaker(change), provider: provider)
        }
    }

    private func report(_ outcome: RefreshOutcome, _ attempt: RefreshAttempt, wasInDoubt: Bool) {
        switch outcome {
        case .startAgain, .wait: break
        case .alreadyRefreshed: if attempt.isPermitted { pauses.succeeded(attempt.id) }
        case .refreshed(_, let isFromEarlierAttempt):
            // While new tokens cannot be saved, every call finds them again. Their recovery is reported once, when they are saved.
            guard !isFromEarlierAttempt || unsaved[attempt.id] == nil else { return }
            pauses.succeeded(attempt.id)
            if isFromEarlierAttempt || wasInDoubt { emit(.refreshRepaired, attempt) }
            emit(.refreshed(attempt.outcome), attempt)
        case .failed(let error, let pausesSession):
            if pausesSession { pauses.failed(attempt.id, with: error) }
            // An attempt without a permit, for example during a pause, sent no refresh token, so it is not reported as a failed refresh.
            // Otherwise each call during an outage would cause an event.
            guard attempt.isPermitted, !attempt.hasReportedLoginMismatch else { return }
            emit(.refreshFailed(error.code), attempt, because: error)
        }
    }

    func emit(_ event: IdentityEvent.Kind, _ attempt: RefreshAttempt, because error: IdentityError? = nil) {
        guard let provider = attempt.stored?.provider else { return }
        events.emit(event, provider: provider, session: attempt.id, since: attempt.started, because: error)
    }
}
