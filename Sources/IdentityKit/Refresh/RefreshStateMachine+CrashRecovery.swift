/// The steps that continue after a crash, and the save of a response, which a crash would lose: each returns the next action.
///
/// `RefreshStateMachine+Refusals.swift` says what it means if the provider refuses a token that was sent again.
extension RefreshStateMachine {
    /// The next step for the stored state if memory and spool contain no newer one.
    mutating func decide() -> Action {
        switch storedState {
        case .responded(_, let response)?: return validate(response, .store, isStored: true)
        case .ended(let reason, _)?: return .finish(.failed(.ended(reason)))
        case .active(let tokens)? where goal.isReached(by: tokens):
            return .finish(.adopted(.active(tokens), tokens))
        // The previous holder lost the lock, but it may still run and save a response.
        case .claimed(_, let claim)? where !claim.isAbandoned && !provesPreviousHolderGone:
            return contest(claim)
        default: return prepare()
        }
    }

    /// The wait for the holder's response begins with a write: while the store refuses writes, the holder cannot save its response.
    mutating func contest(_ claim: RefreshClaim) -> Action {
        guard !claim.isContested, let tokens = storedState?.tokens else { return go(.checkClaim, .checkClaim) }
        return go(.contest, .save(.claimed(tokens, claim.contested), .contest, requiresLock: true))
    }

    /// Saves a response from memory or the spool in the store before it is validated.
    ///
    /// Validation may fail for a long time, and another machine would otherwise send the old refresh token.
    mutating func foundUnsaved(_ response: RefreshResponse) -> Action {
        switch storedState {
        case .active?, .claimed?: return saveResponse(response, .unsaved, requiresLock: true)
        case .responded(_, let inRow)?:
            var response = response
            response.mismatch = response.mismatch ?? inRow.mismatch
            return validate(response, .unsaved, isStored: false)
        case .ended?, nil: return validate(response, .unsaved, isStored: false)
        }
    }

    /// The response is saved unchanged before it is validated, because a crash in between would lose it.
    mutating func saveResponse(_ response: RefreshResponse, _ source: Source, requiresLock: Bool) -> Action {
        guard let tokens = storedState?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        return go(
            .saveResponse(response, source),
            .save(.responded(tokens, response), .response, requiresLock: requiresLock)
        )
    }
}
