extension RefreshStateMachine {
    /// Ends the refresh after an error that prevented the first or the second request with the refresh token.
    mutating func notSent(_ error: IdentityError) -> Action {
        handleRefusal(RefreshRefusal(.transient, error), mayResend: false, isResponseStored: false)
    }

    /// Continues after a response without tokens, after a request without a response, or after an error before the request.
    mutating func handleRefusal(_ refusal: RefreshRefusal, mayResend: Bool, isResponseStored: Bool) -> Action {
        if refusal.kind == .inDoubt {
            isInDoubt = true
            // The token is sent again, because some providers accept a used token for a short time.
            if mayResend { return sendAgain(isResponseStored: isResponseStored) }
        }
        guard refusal.kind != .invalidGrant else { return go(.reloadBeforeEnd(refusal), .load) }
        let outcome = RefreshOutcome.failed(refusal.error, pausesSession: true)
        guard let tokens = baseState?.tokens, let claim else { return .finish(outcome) }
        guard isInDoubt else {
            return finish(outcome, after: .save(.active(tokens), .withdrawClaim, requiresLock: true))
        }
        // If a lock proves that its previous holder is gone, the next holder never waits for a response. So the claim needs no mark.
        guard !provesPreviousHolderGone else { return .finish(outcome) }
        return finish(outcome, after: .save(.claimed(tokens, claim.abandoned), .withdrawClaim, requiresLock: true))
    }

    /// Sends the refresh token once more.
    ///
    /// If the first response is stored, the claim first replaces it. Otherwise, another process that gets the lock would find a response
    /// without tokens, and would send the refresh token too, instead of waiting for the response to the second request.
    mutating func sendAgain(isResponseStored: Bool) -> Action {
        guard isResponseStored, let tokens = baseState?.tokens, let claim else {
            return go(.send(isRepeated: true), .send)
        }
        return go(.claimAgain, .save(.claimed(tokens, claim), .claimAgain, requiresLock: true))
    }

    var endReason: SessionEndReason { isInDoubt ? .lostRotation : .revoked }

    /// Ends the session after `invalid_grant`, if the store still has the old tokens.
    ///
    /// - If another process has saved other tokens, the session continues with those tokens.
    /// - If another process has saved a response that is not accepted yet, the session continues, and this refresh fails.
    /// - If another process has changed the session in another way, the session ends only while this process holds the lock.
    /// - If the session was removed or has already ended, this refresh fails.
    mutating func endIfOldTokensRemain(_ current: SessionState?, _ refusal: RefreshRefusal, isUnchanged: Bool) -> Action
    {
        guard let current else { return .finish(.failed(.unknownSession)) }
        guard let tokens = current.tokens, hasOldTokens(current), current.endReason == nil else {
            return .finish(outcome(for: current))
        }
        if case .responded = current, !isUnchanged { return .finish(.failed(.otherResponseStored)) }
        return go(.saveEnd(refusal), .save(.ended(endReason, tokens), .end, requiresLock: !isUnchanged))
    }

    // MARK: Responses that are not accepted

    /// Ends the refresh after a validation has failed.
    ///
    /// If the response belongs to another login and the session has not ended, the error code is kept with the response: in the store, or
    /// in memory and the spool. The error code is removed only when new tokens of the session are saved.
    mutating func validationFailed(
        _ response: RefreshResponse,
        _ source: Source,
        isStored: Bool,
        _ error: IdentityError
    ) -> Action {
        guard error.isAttackSuspected else {
            // The stored response may belong to another login, although the response from memory or the spool does not.
            if let mismatch = response.loginMismatch ?? baseState?.loginMismatch {
                return .finish(.failed(.otherLogin(mismatch, because: error), pausesSession: true))
            }
            guard case .provider = source, !isStored else { return .finish(.failed(error, pausesSession: true)) }
            return spoolAndFinish(
                baseState?.tokens.map { .responded($0, response) },
                .failed(error, pausesSession: true)
            )
        }
        // If the response comes from memory or the spool, the store may have a copy of the response, or another response.
        let stored = if case .unsaved = source { baseState?.response } else { RefreshResponse?.none }
        let isOtherStored = stored.map { !$0.isSame(as: response) } ?? false
        let copies = isOtherStored ? [response] : [response, stored].compactMap(\.self)
        guard let tokens = baseState?.tokens, baseState?.endReason == nil,
            copies.contains(where: { $0.loginMismatch != error.code })
        else {
            return .finish(.failed(error, pausesSession: true))
        }
        var marked = response
        marked.loginMismatch = error.code
        if isOtherStored {
            // The response must not overwrite the other response in the store.
            let action = Action.spool(.responded(tokens, marked), isReported: true)
            return finish(.failed(error), after: .reportLoginMismatch(error, marked), action)
        }
        let action = Action.save(.responded(tokens, marked), .loginMismatch, requiresLock: false)
        return run([.reportLoginMismatch(error, marked), action], then: .saveLoginMismatch(marked, source, error))
    }
}

extension RefreshResponse {
    /// Whether both values are copies of one response of the provider; their error codes may differ.
    func isSame(as other: RefreshResponse) -> Bool {
        receivedAt == other.receivedAt && body.isEqual(to: other.body)
    }
}
