/// The steps of a refresh. Each step returns the next action.
extension RefreshStateMachine {
    mutating func go(_ next: Step, _ action: Action) -> Action {
        step = next
        return action
    }

    /// Returns the first of several actions.
    ///
    /// The other actions follow even if one fails. Step `next` handles the result of the last action.
    mutating func run(_ actions: [Action], then next: Step) -> Action {
        guard let action = actions.first else { return .finish(.failed(.unexpectedRefreshEvent)) }
        let rest = Array(actions.dropFirst())
        return go(rest.isEmpty ? next : .run(rest, then: next), action)
    }

    /// Returns the first of several actions, after which the refresh finishes with `outcome`, even if one of them fails.
    mutating func finish(_ outcome: RefreshOutcome, after actions: Action...) -> Action {
        run(actions + [.finish(outcome)], then: step)
    }

    mutating func findUnsaved() -> Action {
        go(.findUnsaved, .findUnsaved(storedResponseHasNoTokens: storedResponseHasNoTokens))
    }

    /// Returns the next action for the stored state, after memory and spool were found to contain no newer state.
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

    /// Notes in another process's refresh claim that this process is about to wait for that process's response.
    ///
    /// This save also checks that the store accepts writes. If it does, the other process can now save what the store refused before.
    mutating func markAwaited(_ claim: RefreshClaim) -> Action {
        guard !claim.isAwaited, let tokens = baseState?.tokens else { return go(.checkClaimWait, .checkClaimWait) }
        return go(.markAwaited, .save(.claimed(tokens, claim.awaited), .markAwaited, requiresLock: true))
    }

    /// Continues with a response from memory or the spool.
    ///
    /// If the stored session is active or has a claim, the response is first saved in the store. Its validation may fail for a long time.
    /// Without the response in the store, another machine would send the old refresh token again.
    mutating func foundUnsaved(_ response: RefreshResponse) -> Action {
        switch baseState {
        case .active?, .claimed?: return saveResponse(response, .unsaved, requiresLock: true)
        case .responded(_, let stored)?:
            var response = response
            // A copy of the stored response may lack the error code, which was saved in the store only.
            if stored.isSame(as: response), response.loginMismatch == nil {
                response.loginMismatch = stored.loginMismatch
            }
            return validate(response, .unsaved, isStored: false)
        case .ended?, nil: return validate(response, .unsaved, isStored: false)
        }
    }

    /// Removes a response without tokens from memory and from the spool, and looks there again.
    ///
    /// If the spool cannot remove the response, the search finds it again and puts it back into memory. The second call of this function
    /// removes it from memory and does not search again. The response must not stay in memory: ``UnsavedTokens`` would copy its mark
    /// `isSpooled` to newer tokens, although the spool may not have them.
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
    /// The saved record is as large as a record with the response is expected to be. So this save also shows that the store has space for
    /// the response.
    mutating func saveClaim(_ new: RefreshClaim) -> Action {
        guard let tokens = baseState?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        claim = new
        return go(.claim, .save(.claimed(tokens, new), .claim, requiresLock: true))
    }

    /// Saves the response unchanged before it is validated.
    ///
    /// A crash during the validation would lose an unsaved response.
    mutating func saveResponse(_ response: RefreshResponse, _ source: Source, requiresLock: Bool) -> Action {
        guard let tokens = baseState?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        return go(
            .saveResponse(response, source),
            .save(.responded(tokens, response), .response, requiresLock: requiresLock)
        )
    }

    /// Validates a response that the store did not save.
    ///
    /// A response that the provider has just sent is spooled first, because a crash during the validation would lose it.
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

    /// Saves new tokens; after a conflict, `current` is the stored state that they replace.
    ///
    /// The first save needs no lock, because it fails if another process has changed the session. The save over `current` needs the lock.
    mutating func saveTokens(_ new: TokenSet, _ source: Source, over current: SessionState? = nil) -> Action {
        go(
            .saveTokens(new, source, over: current),
            .save(.active(new), .tokens(source), requiresLock: current != nil)
        )
    }

    /// Continues after the save of new tokens has conflicted; `current` is the stored state, which was loaded again.
    ///
    /// - If `current` has other tokens than the old ones, the caller gets these tokens. The new tokens are not saved. They are not
    ///   revoked, because a revocation may also invalidate the tokens in `current`. Exception: if the session has ended, the new tokens
    ///   are revoked, and the refresh fails.
    /// - If `current` has the old tokens and a response of another process, that response may contain newer tokens. So the new tokens are
    ///   spooled, and the refresh starts again.
    /// - If `current` has the old tokens and no response, the new tokens replace them. They also replace them if the session has ended:
    ///   another process may have ended it because the provider rejected the refresh token that this process has used. This save needs the
    ///   lock. If the lock is lost, the new tokens are spooled and returned, or revoked if the session has ended.
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

    /// Spools a state that the store does not have, and finishes the refresh.
    ///
    /// The state contains new tokens, or a response that may contain tokens.
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
        // The stored response belongs to another login, so the stored tokens must not be returned. The restarted refresh validates the
        // response again and reports the mismatch.
        guard current.loginMismatch == nil else { return .startAgain }
        return current.tokens.map { .alreadyRefreshed(current, $0) } ?? .failed(.unknownSession)
    }
}
