extension RefreshStateMachine {
    mutating func go(_ next: Step, _ action: Action) -> Action {
        step = next
        return action
    }

    /// Runs several actions, even if some of them fail; step `next` handles the result of the last action.
    mutating func run(_ actions: [Action], then next: Step) -> Action {
        guard let action = actions.first else { return .finish(.failed(.unexpectedRefreshEvent)) }
        let rest = Array(actions.dropFirst())
        return go(rest.isEmpty ? next : .run(rest, then: next), action)
    }

    mutating func finish(_ outcome: RefreshOutcome, after actions: Action...) -> Action {
        run(actions + [.finish(outcome)], then: step)
    }

    mutating func findUnsaved() -> Action {
        go(.findUnsaved, .findUnsaved(storedResponseHasNoTokens: storedResponseHasNoTokens))
    }

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

    mutating func markAwaited(_ claim: RefreshClaim) -> Action {
        guard !claim.isAwaited, let tokens = baseState?.tokens else { return go(.checkClaimWait, .checkClaimWait) }
        return go(.markAwaited, .save(.claimed(tokens, claim.awaited), .markAwaited, requiresLock: true))
    }

    /// Validates a response from memory or the spool.
    ///
    /// For an `active` or `claimed` session, saves the response first: otherwise another machine could send the old refresh token again.
    mutating func foundUnsaved(_ response: RefreshResponse) -> Action {
        switch baseState {
        case .active?, .claimed?: return saveResponse(response, .unsaved, requiresLock: true)
        case .responded(_, let stored)?:
            var response = response
            // A copy of the stored response may lack the error code, which only the store has.
            if stored.isSame(as: response), response.loginMismatch == nil {
                response.loginMismatch = stored.loginMismatch
            }
            return validate(response, .unsaved, isStored: false)
        case .ended?, nil: return validate(response, .unsaved, isStored: false)
        }
    }

    /// Removes a response without tokens from memory and the spool, and searches both once more.
    ///
    /// If the spool fails to remove the response, the search finds the response again. A second call then removes the response from memory
    /// without a search. Otherwise new tokens would inherit the response's mark `isSpooled`, although the spool may lack these tokens.
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

    mutating func saveClaim(_ new: RefreshClaim) -> Action {
        guard let tokens = baseState?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        claim = new
        return go(.claim, .save(.claimed(tokens, new), .claim, requiresLock: true))
    }

    mutating func saveResponse(_ response: RefreshResponse, _ source: Source, requiresLock: Bool) -> Action {
        guard let tokens = baseState?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        return go(
            .saveResponse(response, source),
            .save(.responded(tokens, response), .response, requiresLock: requiresLock)
        )
    }

    /// Validates a response that the store did not save; first spools a new response, because a crash would lose it.
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

    /// Saves new tokens; `current` is the stored state that they replace after a save conflict, nil at the first save.
    ///
    /// The first save needs no lock, because it fails if another process has changed the session.
    mutating func saveTokens(_ new: TokenSet, _ source: Source, over current: SessionState? = nil) -> Action {
        go(
            .saveTokens(new, source, over: current),
            .save(.active(new), .tokens(source), requiresLock: current != nil)
        )
    }

    /// Continues after another process's change has prevented the save of new tokens; `current` is the stored state.
    ///
    /// - If `current` has other tokens than the old ones, the caller gets these tokens. The new tokens are not revoked, because a
    ///   revocation may also invalidate the tokens in `current`. There are two exceptions. If the session has ended, the new tokens are
    ///   revoked, and the refresh fails. If `current` has a response of another login, the refresh starts again.
    /// - If `current` has the old tokens and a response, the response may contain newer tokens. So the new tokens are spooled, and the
    ///   refresh starts again.
    /// - If `current` has the old tokens and no response, the new tokens replace them, even if the session has ended: the provider may
    ///   have rejected the other process's request because this process had used the refresh token. This save needs the lock.
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
        // The stored response belongs to another login, so the stored tokens must not be returned. The next run reports the mismatch.
        guard current.loginMismatch == nil else { return .startAgain }
        return current.tokens.map { .alreadyRefreshed(current, $0) } ?? .failed(.unknownSession)
    }
}
