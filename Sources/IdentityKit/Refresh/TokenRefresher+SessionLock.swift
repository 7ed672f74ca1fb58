extension TokenRefresher {
    /// Takes the session's lock and runs the state machine until the tokens that it returns are usable.
    func runUnderLock(
        _ id: SessionID,
        for goal: RefreshGoal,
        since started: Duration,
        until deadline: Duration
    ) async throws -> (RefreshOutcome, RefreshAttempt) {
        let asked = clock.elapsed
        return try await visible.store.withSessionLock(id, waitingUpTo: max(deadline - asked, .zero)) { [self] lock in
            if clock.elapsed - asked > .milliseconds(10) {
                events.emit(.lockWaited, provider: "", session: id, since: asked)
            }
            // Another process that gets the lock concludes that this process has crashed. It must not get the lock while only this
            // process has the newest tokens.
            defer { if unsaved.warning(for: id) != nil { lock.keepAfterBody() } }
            var goal = goal
            while true {
                let (outcome, attempt) = await runStateMachine(id, for: goal, under: lock, since: started)
                // The tokens expired before they could be saved. Now they are saved, so they can be refreshed.
                guard case .refreshed(let tokens, isRecovered: true) = outcome, case .replacing = goal,
                    schedule.hasExpired(tokens, of: id), unsaved[id] == nil
                else { return (outcome, attempt) }
                goal = .replacing(tokens)
            }
        }
    }
}
