/// The steps of a refresh. Each step returns the next action.
extension RefreshStateMachine {
    mutating func go(_ next: Step, _ action: Action) -> Action {
        step = next
        return action
    }

    /// Returns the first of several actions.
    ///
    /// The others follow even if one fails; step `next` handles the result of the last one.
    mutating func run(_ actions: [Action], then next: Step) -> Action {
        guard let action = actions.first else { return .finish(.failed(.unexpectedRefreshEvent)) }
        let rest = Array(actions.dropFirst())
        return go(rest.isEmpty ? next : .run(rest, then: next), action)
    }

    /// Returns the first of several actions after which the refresh finishes, even if one of them fails.
    mutating func finish(_ outcome: RefreshOutcome, after actions: Action...) -> Action {
        run(actions + [.finish(outcome)], then: step)
    }

    mutating func findUnsaved() -> Action {
        go(.findUnsaved, .findUnsaved(storedResponseHasNoTokens: storedResponseHasNoTokens))
    }

    /// The next action for the stored state if memory and spool contain no newer state.
    mutating func continueFromStoredState() -> Action {
        switch baseState {
        case .responded(_, let response)? where !storedResponseHasNoTokens:
            return validate(response, .store, isStored: true)
        case .ended(let reason, _)?: return .finish(.failed(.ended(reason)))
        case .active(let tokens)? where goal.isReached(by: tokens):
            return .finish(.alreadyRefreshed(.active(tokens), tokens))
        // The process that saved the refresh claim no longer holds the lock, but may still run and save a response.
        case .claimed(_, let claim)? where !claim.isAbandoned && !provesPreviousHolderGone:
            return markAwaited(claim)
        default: return prepare()
        }
    }

    /// Marks the refresh claim of another process as awaited, before this process waits for that process's response.
    ///
    /// If this save succeeds, the store accepts writes. So the other process can now save new tokens that the store refused before.
    mutating func markAwaited(_ claim: RefreshClaim) -> Action {
        guard !claim.isAwaited, let tokens = baseState?.tokens else { return go(.checkClaimWait, .checkClaimWait) }
        return go(.markAwaited, .save(.claimed(tokens, claim.awaited), .markAwaited, requiresLock: true))
    }

    /// Continues with a response from memory or the spool.
    ///
    /// If the stored session is active or has a claim, the response is saved in the store before it is validated: the validation may fail
    /// for a long time, and without a response in the store, another machine would send the old refresh token again.
    mutating func foundUnsaved(_ response: RefreshResponse) -> Action {
        switch baseState {
        case .active?, .claimed?: return saveResponse(response, .unsaved, requiresLock: true)
        case .responded(_, let stored)?:
            var response = response
            // The error code of a stored response of another login is kept until new tokens are saved.
            response.loginMismatch = response.loginMismatch ?? stored.loginMismatch
            return validate(response, .unsaved, isStored: false)
        case .ended?, nil: return validate(response, .unsaved, isStored: false)
        }
    }

    /// Removes a response without tokens from memory and from the spool, and looks there again.
    ///
    /// If the spool cannot remove the response, the search finds the response again and puts it back into memory. The second call of this
    /// function removes it from memory, and continues without it. ``UnsavedTokens`` copies the mark that a response is spooled to newer
    /// tokens of the session. So if the response stayed in memory, new tokens would count as spooled, even if the spool cannot save them.
    mutating func removeUnsavedWithoutTokens() -> Action {
        guard !hasRemovedUnsaved else { return go(.continueFromStoredState, .removeUnsaved) }
        hasRemovedUnsaved = true
        return run(
            [.removeUnsaved, .findUnsaved(storedResponseHasNoTokens: storedResponseHasNoTokens)],
            then: .findUnsaved
        )
    }

    mutating func prepare() -> Action {
        guard baseState?.tokens?.refreshToken != nil else { return .finish(.failed(.withoutRefreshToken)) }
        return go(.prepare, .prepare)
    }

    /// Saves the refresh claim, which tells the next process that the refresh token may have been used.
    ///
    /// The record has the expected size of a record with the response. So the write also proves that the store has space for the response.
    mutating func saveClaim(_ new: RefreshClaim) -> Action {
        guard let tokens = baseState?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        claim = new
        return go(.claim, .save(.claimed(tokens, new), .claim, requiresLock: true))
    }

    /// Saves the response unchanged before it is validated.
    ///
    /// Otherwise a crash during the validation would lose it.
    mutating func saveResponse(_ response: RefreshResponse, _ source: Source, requiresLock: Bool) -> Action {
        guard let tokens = baseState?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        return go(
            .saveResponse(response, source),
            .save(.responded(tokens, response), .response, requiresLock: requiresLock)
        )
    }

    /// Validates a response that the store did not save; a new response is spooled first, because a crash during the validation would
    /// lose it.
    mutating func spoolAndValidate(_ response: RefreshResponse, _ source: Source) -> Action {
        guard case .provider = source, let tokens = baseState?.tokens else {
            return validate(response, source, isStored: false)
        }
        return run(
            [.spool(.responded(tokens, response), isReported: false), .validate(response)],
            then: .validate(response, source, isStored: false)
        )
    }

    mutating func validate(_ response: RefreshResponse, _ source: Source, isStored: Bool) -> Action {
        go(.validate(response, source, isStored: isStored), .validate(response))
    }

    /// Saves new tokens; after a conflict, over the state `current`.
    ///
    /// The first save needs no lock, because it fails if another process has changed the session.
    mutating func saveTokens(_ new: TokenSet, _ source: Source, over current: SessionState? = nil) -> Action {
        go(
            .saveTokens(new, source, over: current),
            .save(.active(new), .tokens(source), requiresLock: current != nil)
        )
    }

    /// Continues after the save of new tokens has conflicted; `current` is the stored state, which was loaded again.
    ///
    /// - If it has other tokens than the old ones, the new ones are not saved. The caller gets the stored tokens. The new ones are not
    ///   revoked, because a revocation may also invalidate the stored ones. But if the session has ended, they are revoked, and the refresh
    ///   fails.
    /// - If it has the old tokens and another process has saved a response, that response may contain newer tokens. So the new tokens are
    ///   spooled, and the refresh starts again.
    /// - If it has the old tokens and no response, the new tokens replace them, also if the session has ended: another process may have
    ///   ended it because the provider rejected the refresh token that this process has used. This save needs the lock. If the lock is
    ///   lost, the new tokens are spooled and returned, or revoked if the session has ended.
    mutating func saveTokensAfterConflict(_ new: TokenSet, _ source: Source, over current: SessionState) -> Action {
        guard hasOldTokens(current) else {
            guard current.endReason == nil else {
                return finish(outcome(for: current), after: .removeUnsaved, .revoke(new))
            }
            return finish(outcome(for: current), after: .removeUnsaved)
        }
        if case .responded = current { return spoolAndFinish(.active(new), .startAgain) }
        return saveTokens(new, source, over: current)
    }

    /// Spools a state with new tokens, or with a response that may contain tokens, because the store does not have it; then finishes.
    mutating func spoolAndFinish(_ state: SessionState?, _ outcome: RefreshOutcome) -> Action {
        guard let state, baseState?.tokens != nil else { return .finish(outcome) }
        return finish(outcome, after: .spool(state, isReported: true))
    }

    func hasOldTokens(_ current: SessionState) -> Bool {
        guard let tokens = baseState?.tokens, let found = current.tokens else { return false }
        return found.isSameIssue(as: tokens)
    }

    /// The outcome for a state that another process has saved.
    func outcome(for current: SessionState) -> RefreshOutcome {
        if let reason = current.endReason { return .failed(.ended(reason)) }
        // The stored tokens must not be returned. When the refresh starts again, it validates the response, and reports the mismatch.
        guard current.loginMismatch == nil else { return .startAgain }
        return current.tokens.map { .alreadyRefreshed(current, $0) } ?? .failed(.unknownSession)
    }
}
