/// The steps of a refresh: each returns the next action.
extension RefreshStateMachine {
    mutating func go(_ next: Step, _ action: Action) -> Action {
        step = next
        return action
    }

    /// Returns the first of several actions; the others follow even if one fails, and then the machine continues with `next`.
    mutating func run(_ actions: [Action], then next: Step = .start) -> Action {
        guard let action = actions.first else { return .finish(.failed(.unexpectedRefreshEvent)) }
        let rest = Array(actions.dropFirst())
        return go(rest.isEmpty ? next : .run(rest, then: next), action)
    }

    mutating func prepare() -> Action {
        guard storedState?.tokens?.refreshToken != nil else { return .finish(.failed(.withoutRefreshToken)) }
        return go(.prepare, .prepare)
    }

    /// Saves the refresh claim, which tells the next process that the refresh token may have been used.
    ///
    /// The write also proves that the store can save a record with the size of the response.
    mutating func saveClaim(_ new: RefreshClaim) -> Action {
        guard let tokens = storedState?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        claim = new
        return go(.claim, .save(.claimed(tokens, new), .claim, requiresLock: true))
    }

    mutating func validate(_ response: RefreshResponse, _ source: Source, isStored: Bool) -> Action {
        go(.validate(response, source, isStored: isStored), .validate(response))
    }

    mutating func saveTokens(_ new: TokenSet, _ source: Source) -> Action {
        go(.saveTokens(new, source), .save(.active(new), .tokens(source), requiresLock: false))
    }

    /// Saves new tokens after another process has changed the session.
    ///
    /// While this process holds the lock, it replaces a session that still contains the tokens that were used: if two processes sent
    /// the same refresh token, only the one that received a response has valid tokens. Without the lock, nothing is replaced.
    mutating func saveTokensAgain(_ new: TokenSet, _ source: Source, over current: SessionState) -> Action {
        guard isUnchanged(current) else { return run([.forgetUnsaved, adopt(current)]) }
        return go(
            .saveTokensAgain(new, source, over: current),
            .save(.active(new), .tokens(source), requiresLock: true)
        )
    }

    func refreshed(_ new: TokenSet, _ source: Source) -> RefreshOutcome {
        .refreshed(new, isRecovered: source.isRecovered)
    }

    /// Spools new tokens, or a response that may contain tokens, because they exist nowhere else; then finishes.
    mutating func spool(_ state: SessionState?, _ outcome: RefreshOutcome) -> Action {
        guard let state, let tokens = storedState?.tokens else { return .finish(outcome) }
        return run([.spool(state, replacing: tokens), .finish(outcome)])
    }

    func isUnchanged(_ current: SessionState) -> Bool {
        guard let tokens = storedState?.tokens, let found = current.tokens else { return false }
        return found.isSameIssue(as: tokens)
    }

    /// The next step after another process has changed the session.
    func adopt(_ current: SessionState) -> Action {
        if let reason = current.endReason { return .finish(.failed(.ended(reason))) }
        return .finish(current.tokens.map { .adopted(current, $0) } ?? .failed(.unknownSession))
    }

    // MARK: Responses that are not accepted

    /// Continues after the validation of a response has failed.
    ///
    /// If the response belongs to another login, the error code is stored with it. The code is removed only when the response is
    /// accepted.
    mutating func notAccepted(
        _ response: RefreshResponse,
        _ source: Source,
        isStored: Bool,
        _ error: IdentityError
    ) -> Action {
        guard error.isAttackSuspected else {
            if let mismatch = response.mismatch { return .finish(.failed(.otherLogin(mismatch, because: error))) }
            guard case .provider = source else { return .finish(.failed(error)) }
            guard !isStored else { return .finish(.refused(error)) }
            return spool(storedState?.tokens.map { .responded($0, response) }, .refused(error))
        }
        guard let tokens = storedState?.tokens, storedState?.endReason == nil,
            !isKnown(error.code, of: response, source)
        else {
            return .finish(.failed(error))
        }
        var marked = response
        marked.mismatch = error.code
        // The store may contain a different response than memory or the spool. In that case the stored response is not overwritten.
        guard mayReplaceRow(marked, source) else {
            let action = Action.spool(.responded(tokens, marked), replacing: tokens)
            return run([.reportMismatch(error, marked), action, .finish(.failed(error))])
        }
        let action = Action.save(.responded(tokens, marked), .mismatch, requiresLock: false)
        return run([.reportMismatch(error, marked), action], then: .saveMismatch(marked, source, error))
    }

    /// Whether this code is already stored with the response: in the store, in memory or in the spool.
    private func isKnown(_ mismatch: IdentityError.Code, of response: RefreshResponse, _ source: Source) -> Bool {
        guard response.mismatch == mismatch else { return false }
        guard case .unsaved = source, case .responded(_, let inRow)? = storedState, inRow.isSame(as: response) else {
            return true
        }
        return inRow.mismatch == mismatch
    }

    private func mayReplaceRow(_ response: RefreshResponse, _ source: Source) -> Bool {
        guard case .unsaved = source, case .responded(_, let inRow)? = storedState else { return true }
        return inRow.isSame(as: response)
    }

    /// Ends the attempt after the code was saved in the store; memory and spool no longer need the response.
    mutating func reported(_ error: IdentityError, _ source: Source) -> Action {
        guard case .unsaved = source else { return .finish(.failed(error)) }
        return run([.forgetUnsaved, .finish(.failed(error))])
    }
}

extension RefreshResponse {
    /// Whether both are the same response of the provider; the error codes that are stored with them may differ.
    fileprivate func isSame(as other: RefreshResponse) -> Bool {
        receivedAt == other.receivedAt && body.isEqual(to: other.body)
    }
}
