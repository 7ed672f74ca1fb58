/// Shares refreshes among the callers of this process.
///
/// Among processes, the session's lock in ``run(_:for:waitingUpTo:)`` permits one refresh at a time.
extension TokenRefresher {
    /// Refreshes a session.
    ///
    /// If a refresh of the session already runs in this process, joins it, even if it has another goal. `limit` has the same meaning as in
    /// ``run(_:for:waitingUpTo:)``; nil for ``SessionManager/Configuration/lockWait``.
    ///
    /// - Returns: Tokens that reach the goal, from a refresh of this process or of another one.
    func refresh(
        _ id: SessionID,
        for goal: RefreshGoal,
        waitingUpTo limit: Duration? = nil
    ) async throws -> SessionTokens {
        let begun = clock.elapsed
        let limit = limit ?? configuration.lockWait
        var goal = goal
        while true {
            let remaining = max(limit - (clock.elapsed - begun), .zero)
            let (result, started) = await flights.result(of: id) { [self, goal] in
                try await run(id, for: goal, waitingUpTo: remaining)
            }
            var found: SessionTokens
            do {
                found = try result.get()
                if !started { found.outcome = .waited }
            } catch let ended as RefreshWaitEnded {
                // The joined refresh may have a shorter limit than this caller, for example a repair with the limit zero.
                guard !started, ended.limit < limit, clock.elapsed - begun < limit else { throw ended.error }
                continue
            } catch {
                throw IdentityError.wrapping(error)
            }
            guard case .replacing = goal else { return found }
            let hasExpired = schedule.hasExpired(found.tokens, of: id)
            if hasExpired, unsaved[id] != nil {
                throw IdentityError.unsaved(
                    "The session's access token expired before the store could save it.",
                    unsaved.warning(for: id)
                )
            }
            // This caller may continue long after the refresh that it joined has ended, so the new tokens may have expired since. Tokens
            // that a refresh of this process returned less than 30 seconds ago count as new even if they have expired.
            let isNew = !hasExpired || schedule.isJustRefreshed(found.tokens, of: id)
            if found.outcome != .waited || isNew && goal.isReached(by: found.tokens) { return found }
            goal = .replacing(found.tokens)
            guard clock.elapsed - begun < limit else { throw IdentityError.refreshTakesLong }
        }
    }

    /// Starts the repair of a session if no refresh of the session runs in this process, and does not wait for its end.
    func startRepair(_ id: SessionID) {
        flights.start(id) { [self] in try await run(id, for: .repairing, waitingUpTo: configuration.lockWait) }
    }

    /// Starts a refresh in the background, while the old tokens are still valid.
    ///
    /// Because the old tokens are still valid, no refresh starts during the pause after a failed refresh, or while the provider's limiter
    /// would delay it.
    ///
    /// - Returns: The error of the last failed refresh, if no refresh was started because of it; otherwise nil.
    func startEarly(_ stored: StoredSession, replacing tokens: TokenSet) -> IdentityError? {
        let id = stored.id
        let failure = pauses.earlyFailure(id)
        guard failure == nil, !memory.limiter(of: stored.provider).delays else { return failure }
        flights.start(id) { [self] in
            do {
                return try await run(id, for: .replacing(tokens), waitingUpTo: configuration.lockWait)
            } catch {
                pauses.failedEarly(id, with: (error as? RefreshWaitEnded)?.error ?? .wrapping(error))
                throw error
            }
        }
        return nil
    }
}
